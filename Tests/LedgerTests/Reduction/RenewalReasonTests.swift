import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §3, `renewed`, of payloads without a transactionReason.
@Suite("Renewals that only DID_RENEW names")
struct RenewalReasonTests {
    private let bought = Fact.subscribed("1", day(0), day(30)).priced(10_000)

    private func versionOne(_ type: NotificationType, at signedDate: Timestamp) -> Fact {
        var fact = Fact.reported(.notificationV1, type: type, at: signedDate).trusted(.secret)
        fact.transaction = .period("2", day(30), day(60))
        return fact
    }

    /// A statement that lacks the field, of a rank of its own.
    private func stated(
        _ kind: EventKind, at signedDate: Timestamp, _ trust: Trust = .signed
    ) -> Fact {
        Fact.reported(kind, at: signedDate).trusted(trust).with {
            $0.transaction = .period("2", day(30), day(60))
        }.priced(10_000)
    }

    private func renewals(_ life: Lifecycle) -> Int64 {
        life.occurrences(
            of: .renewals, in: app, catalogue: Catalogue(), limit: day(99), instants: []
        ).reduce(0) { $0 + ($1.amounts["renewals"] ?? 0) }
    }

    @Test(
        "A statement of a higher rank without the field does not take the renewal away",
        arguments: [30, 31, 45] as [Int64])
    func outranked(_ number: Int64) {
        let named = versionOne(.didRenew, at: day(31))
        #expect(given(bought, named).timelineEvents(.renewed).count == 1)
        for kind in [EventKind.receipt, .transaction] {
            let life = given(bought, named, stated(kind, at: day(number)))
            #expect(life.timelineEvents(.renewed).map(\.at) == [day(30)])
            #expect(renewals(life) == 1)
        }
        let response = stated(.verifyReceipt, at: day(number), .transport)
        #expect(renewals(given(bought, named, response)) == 1)
    }

    @Test("Nor does one that lists the purchase as restored, under another transactionId")
    func outrankedByCopy() {
        func renewal(_ fact: Fact, _ id: String) -> Fact {
            fact.transaction {
                $0.transactionId = TransactionId(id)
                $0.webOrderLineItemId = WebOrderLineItemId("902")
            }
        }
        let named = renewal(versionOne(.didRenew, at: day(31)), "2")
        let copy = renewal(stated(.receipt, at: day(45)), "7")
        let life = given(bought, named, copy)
        #expect(life.timelineEvents(.renewed).map(\.at) == [day(30)])
        #expect(renewals(life) == 1)
        let other = renewal(versionOne(.didChangeRenewalStatus, at: day(31)), "2")
        #expect(renewals(given(bought, other, copy)) == 0)
    }

    @Test("An upload before DID_RENEW does not take the renewal away; both are named")
    func uploadedBefore() {
        let named = Fact.didRenew("2", day(30), day(60), at: day(31)).priced(10_000)
            .transaction { $0.transactionReason = nil }
        let life = given(bought, stated(.transaction, at: day(30)), named)
        #expect(renewals(life) == 1)
        #expect(life.timelineEvents(.renewed).map(\.cause) == [2])
        #expect(life.timelineEvents(.renewed).map(\.secondCause) == [3])
        let alone = given(bought, named, stated(.transaction, at: day(32)))
        #expect(renewals(alone) == 1)
        #expect(alone.timelineEvents(.renewed).map(\.secondCause) == [nil])
    }

    @Test("A stated reason decides, and another notification names nothing")
    func statedReason() {
        let purchase = stated(.transaction, at: day(30)).transaction {
            $0.transactionReason = Raw(.purchase)
        }
        #expect(renewals(given(bought, versionOne(.didRenew, at: day(31)), purchase)) == 0)
        let other = versionOne(.didChangeRenewalStatus, at: day(31))
        #expect(renewals(given(bought, other, stated(.receipt, at: day(45)))) == 0)
    }
}
