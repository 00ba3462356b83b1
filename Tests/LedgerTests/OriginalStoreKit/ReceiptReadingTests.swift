import AppStore
import Ledger
import Testing

/// Fields that receipts lack, and which statements supply them (`Lifecycle.md` §7).
@Suite("Fields missing from receipts")
struct ReceiptReadingTests {
    private let customer = CustomerId("3f0c0d5e-0000-4000-8000-000000000001")

    private func receipt(
        _ id: String, of product: String = "basic", _ from: Timestamp, _ to: Timestamp,
        at signedDate: Timestamp
    ) -> Fact {
        var fact = Fact.reported(.receipt, at: signedDate)
        fact.transaction = .period(id, from, to)
        fact.transaction?.productId = ProductId(product)
        fact.transaction?.type = nil
        return fact
    }

    private func stretches(_ life: Lifecycle) -> [HoldingInterval] {
        let chain = ChainId(
            bundleId: BundleId("com.example.app"),
            originalTransactionId: OriginalTransactionId("1"))
        return life.holding(of: customer, chain: chain).stretches
    }

    // MARK: Cancelled: refunded or replaced

    @Test(
        "A cancellation within a minute of another product's purchase is a replacement",
        arguments: [
            // Refunded after the other purchase, it had been replaced by then; before, it was over.
            (0, false, true), (60, false, true), (-60, false, true), (61, true, true),
            (-61, true, false),
        ] as [(Int64, Bool, Bool)])
    func replaced(seconds: Int64, isRefund: Bool, isUpgrade: Bool) {
        let upgrade = day(10)
        let life = given(
            receipt("1", day(0), day(30), at: day(12)).revoked(
                upgrade.advanced(byMilliseconds: seconds * 1_000)),
            receipt("2", of: "pro", upgrade, day(40), at: day(12)))
        #expect(life.lifeFacts(.refunded).count == (isRefund ? 1 : 0))
        #expect(life.lifeFacts(.upgraded).count == (isUpgrade ? 1 : 0))
        #expect(life.state(day(11)) == (isUpgrade ? .renewing : .subscribed))
    }

    @Test("The same product again, or nothing, is a refund")
    func refunded() {
        let again = given(
            receipt("1", day(0), day(30), at: day(12)).revoked(day(10)),
            receipt("2", day(10), day(40), at: day(12)))
        #expect(again.lifeFacts(.refunded).count == 1)
        let alone = given(receipt("1", day(0), day(30), at: day(12)).revoked(day(10)))
        #expect(alone.state(day(12)) == .revoked)
    }

    @Test("A source with the field decides: signed as refunded, it is refunded")
    func signedRefund() {
        let life = given(
            .notification(.refund, "1", day(0), day(30), at: day(11)).revoked(day(10)),
            receipt("1", day(0), day(30), at: day(12)).revoked(day(10)),
            receipt("2", of: "pro", day(10), day(40), at: day(12)))
        #expect(life.lifeFacts(.refunded).count == 1)
    }

    // MARK: Tokens of a lower rank

    @Test("A token at rank secret names the customer at that rank")
    func borrowedToken() {
        var versionOne = Fact.reported(.notificationV1, type: .didRenew, at: day(1)).trusted(
            .secret)
        versionOne.transaction = .period("1", day(0), day(30))
        versionOne.transaction?.appAccountToken = customer.rawValue
        let life = given(receipt("1", day(0), day(30), at: day(2)), versionOne)
        let answer = life.answer(day(5))
        #expect(answer?.appAccountToken == customer.rawValue)
        #expect(answer?.trust == .signed)
        #expect(answer?.appAccountTokenTrust == .secret)
        #expect(stretches(life).map(\.trust) == [.secret, .secret])
    }

    @Test("A token of an earlier period keeps its rank")
    func earlierToken() {
        var versionOne = Fact.reported(.notificationV1, type: .subscribed, at: day(0))
            .trusted(.secret)
        versionOne.transaction = .period("1", day(0), day(30))
        versionOne.transaction?.appAccountToken = customer.rawValue
        let life = given(versionOne, .didRenew("2", day(30), day(60)))
        #expect(life.answer(day(40))?.trust == .signed)
        #expect(life.answer(day(40))?.appAccountTokenTrust == .secret)
        #expect(Set(stretches(life).map(\.trust)) == [.secret])
    }

    @Test("A signed token, or an operator's link, does not lower the rank")
    func signedToken() {
        let life = given(
            .subscribed("1", day(0), day(30)).transaction {
                $0.appAccountToken = customer.rawValue
            },
            receipt("1", day(0), day(30), at: day(2)))
        #expect(life.answer(day(5))?.appAccountTokenTrust == .signed)
        #expect(Set(stretches(life).map(\.trust)) == [.signed])
        #expect(
            given(.subscribed("1", day(0), day(30))).answer(day(5))?.appAccountTokenTrust == nil)
    }
}
