import AppStore
import Testing

@testable import Ledger

/// Every body states all purchases of a customer again: completing them must not take every pair of
/// statements (`Lifecycle.md` §7, "Fields missing from receipts").
@Suite("Purchases that every body states again")
struct RestatedPurchaseTests {
    private let token = "3f0c0d5e-0000-4000-8000-000000000001"

    private func body(
        _ kind: EventKind, at signedDate: Timestamp, _ trust: Trust,
        _ change: (inout TransactionSnapshot) -> Void = { _ in }
    ) -> [Fact] {
        (0..<6 as Range<Int64>).map { period in
            var fact = Fact.reported(kind, at: signedDate).trusted(trust)
            fact.transaction = .period(
                "\(period + 1)", day(period * 30), day(period * 30 + 30))
            fact.transaction?.type = nil
            return fact.transaction(change)
        }
    }

    /// The second purchase as Apple signed it.
    private var signed: Fact {
        Fact.didRenew("2", day(30, 811), day(60, 207), at: day(30, second)).transaction {
            $0.price = 9_990
            $0.currency = "USD"
            $0.appAccountToken = token
        }
    }

    /// Bodies of two ranks, and then two in which everything was cancelled.
    private func facts(bodies count: Int64) -> [Fact] {
        let plain = (0..<count).flatMap { body(.notificationV1, at: day(200 + $0), .secret) }
        let receipts = (0..<count).flatMap { body(.receipt, at: day(200 + $0), .signed) }
        let cancelled = (0..<count).flatMap { number in
            body(.receipt, at: day(300 + number), .signed) { $0.revocationDate = day(190) }
        }
        return plain + receipts + cancelled + [signed]
    }

    @Test("Of the starts in one second there is one entry, with milliseconds")
    func starts() {
        let whole = facts(bodies: 20).filter { $0.cause.kind != .notification }
        #expect(whole.count == 360)
        #expect(CompletedSnapshots.starts(whole).isEmpty)
        let all = whole + Array(repeating: signed, count: 20)
        #expect(CompletedSnapshots.starts(all).values.sorted() == [day(30, 811)])
    }

    @Test("Each of many equal statements is completed as a single one is")
    func repeated() throws {
        let (one, many) = (given(facts(bodies: 1)), given(facts(bodies: 25)))
        for number in [0, 29, 31, 59, 61, 150, 185, 195] as [Int64] {
            let (few, more) = (one.answer(day(number)), many.answer(day(number)))
            #expect(few?.state == more?.state && few?.until == more?.until)
            #expect(few?.price == more?.price && few?.appAccountToken == more?.appAccountToken)
            #expect(few?.appAccountTokenTrust == more?.appAccountTokenTrust)
        }
        let completed = CompletedSnapshots(numbered(facts(bodies: 25)))
        let stated = completed.facts.filter { $0.cause.kind != .notification }
        for fact in stated {
            let transaction = try #require(fact.transaction)
            let isSecond = transaction.transactionId == TransactionId("2")
            #expect(transaction.price == (isSecond ? 9_990 : nil))
            #expect(transaction.appAccountToken == (isSecond ? token : nil))
            #expect(transaction.transactionReason?.value == (isSecond ? .renewal : nil))
            // The end of the first is refined by the start of the second.
            if transaction.transactionId == TransactionId("1") {
                #expect(transaction.expiresDate == day(30, 811))
            }
        }
        #expect(completed.borrowedTokens.count == 75)
        #expect(Set(completed.borrowedTokens.values) == [.signed])
    }

    @Test("Equal purchases of receipts of several dates are completed alike and keep their dates")
    func dated() {
        let dates = [day(200), day(201), day(202)]
        let receipts = dates.flatMap { date in
            body(.verifyReceipt, at: day(210), .transport) { $0.signedDate = date }
        }
        let completed = CompletedSnapshots(numbered(receipts + [signed])).facts.dropLast()
        let second = completed.compactMap(\.transaction).filter {
            $0.transactionId == TransactionId("2")
        }
        #expect(second.map(\.signedDate) == dates)
        #expect(second.map(\.price) == [9_990, 9_990, 9_990])
    }
}
