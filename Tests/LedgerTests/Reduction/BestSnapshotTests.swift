import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2 rule 2, first half.
@Suite("Rule 2: a transaction's best snapshot")
struct BestSnapshotTests {
    /// Two snapshots of one transaction; the product shows which one was best.
    private func best(_ first: Fact, _ second: Fact) -> String? {
        let one = first.transaction { $0.productId = ProductId("first") }
        let two = second.transaction { $0.productId = ProductId("second") }
        let answers = [given(one, two), given(two, one)].map { $0.answer(day(1))?.productId }
        return answers[0] == answers[1] ? answers[0]?.rawValue : nil
    }

    private let plain = Fact.transaction("1", day(0), day(30), at: day(5))

    @Test("The newest signedDate wins")
    func newest() {
        #expect(best(plain, .transaction("1", day(0), day(30), at: day(5, 1))) == "second")
    }

    @Test(
        "Signed outranks transport, secret and operator, however old",
        arguments: [(Trust.signed, Trust.transport), (.transport, .secret), (.secret, .operator)])
    func trust(_ higher: Trust, _ lower: Trust) {
        let newer = Fact.transaction("1", day(0), day(30), at: day(6))
        #expect(best(plain.trusted(higher), newer.trusted(lower)) == "first")
        #expect(best(plain.trusted(lower), newer.trusted(lower)) == "second")
    }

    @Test("At equal dates the one with a revocationDate wins, even with a smaller end and digest")
    func revoked() {
        let other = Fact.transaction("1", day(0), day(31), at: day(5)).digest(9)
        #expect(best(plain.revoked(day(20)).digest(1), other) == "first")
    }

    @Test("Then the larger expiresDate wins, even with a smaller digest")
    func largerEnd() {
        let other = Fact.transaction("1", day(0), day(30, 1), at: day(5)).digest(1)
        #expect(best(plain.digest(9), other) == "second")
        #expect(best(plain.digest(9), other.transaction { $0.expiresDate = nil }) == "first")
    }

    @Test("Then the larger digest, as unsigned bytes")
    func digest() {
        let high = plain.digest(0xFF00_0000_0000_0000)
        #expect(best(plain.digest(0x7F00_0000_0000_0000), high) == "second")
        #expect(best(high, plain.digest(1)) == "first")
    }

    @Test("A higher rank in the window of rule 5 overrides a lower one")
    func windowRank() {
        let bought = Fact.subscribed("1", day(0), day(30))
        let failed = Fact.didFailToRenew(at: day(30)).trusted(.secret)
        #expect(
            given(bought, failed).history.map(\.state) == [.subscribed, .billingRetry, .expired])
        let silent = given(bought, failed, .status(.active, at: day(29, 13 * hour)))
        #expect(silent.history.map(\.state) == [.subscribed, .expired])
        // A signed statement outside the window does not override it.
        let outside = given(bought, failed, .status(.active, at: day(28)))
        #expect(outside.history.map(\.state) == [.subscribed, .billingRetry, .expired])
        // Nor does a lone signed transaction, which is not evidence.
        let bare = given(bought, failed, .transaction("1", day(0), day(30), at: day(31)))
        #expect(bare.history.map(\.state) == [.subscribed, .billingRetry, .expired])
    }
}
