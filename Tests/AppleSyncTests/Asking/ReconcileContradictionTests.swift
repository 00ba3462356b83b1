import AppStore
import AppStoreAPI
import AppleSync
import Ledger
import LedgerTestSupport
import Testing

@Suite("Reconcile: contradictions")
struct ReconcileContradictionTests {
    private let usual = ReconcileTests()

    @Test("One transactionId under two chains: with all, both are reconciled")
    func sharedTransaction() async throws {
        let place = try TemporaryLedger()
        var (one, other, apart) = (MadeChain(), MadeChain(), MadeChain())
        (one.id, other.id, apart.id) = ("500000000000001", "500000000000002", "500000000000003")
        let stolen = one.transactionId(1)
        var lines = one.life + apart.life
        lines += other.life.map { delivery in
            delivery.withTransaction { transaction in
                guard transaction.transactionId?.rawValue == other.transactionId(1) else { return }
                transaction.transactionId = TransactionId(stolen)
            }
        }
        _ = try await place.ingest(lines.sorted { $0.receivedAt < $1.receivedAt })
        #expect(try await usual.notices(place)[one.id] == ["contradiction"])
        #expect(try await usual.reconcile(place, try AskedApple()).chains == 0)
        let report = try await usual.reconcile(place, try AskedApple(), .all)
        #expect(
            report.results.map(\.chain.originalTransactionId.rawValue).sorted()
                == [one.id, other.id])
        #expect(report.results.map(\.before) == [["contradiction"], ["contradiction"]])
        #expect(report.results.map(\.after) == [["contradiction"], ["contradiction"]])
        #expect(report.results.map(\.outcome) == [.unknown, .unknown])
        #expect(report.chains == 2)
    }

    /// Returns these from the notification history, and knows nothing else.
    private struct Told: APITransport {
        let tokens: [String]

        func send(
            _ request: TransportRequest
        ) async throws(TransportFailure) -> TransportResponse {
            guard request.url.contains("/notifications/history") else {
                return TransportResponse(
                    status: 404, body: Array("{\"errorCode\":4040010}".utf8))
            }
            let items = tokens.map { "{\"signedPayload\":\"\($0)\"}" }.joined(separator: ",")
            return TransportResponse(
                status: 200,
                body: Array("{\"hasMore\":false,\"notificationHistory\":[\(items)]}".utf8))
        }
    }

    @Test(
        "Contradicting evidence from Apple is recorded, though only the gap was reconciled",
        arguments: [true, false])
    func contradicted(_ isContradicted: Bool) async throws {
        let chain = MadeChain()
        let place = try TemporaryLedger()
        _ = try await place.ingest([chain.bought()])
        // The same notification, with the same signedDate and another price.
        let first = chain.bought().withTransaction { if isContradicted { $0.price = 4_990 } }
        let tokens = try ([first] + chain.life.dropFirst()).map { try $0.token() }
        let apple = try AskedApple(carrying: { _ in Told(tokens: tokens) })
        let report = try await usual.reconcile(place, apple)
        let result = try #require(report.results.first)
        #expect(result.before == ["renewalOverdue"])
        #expect(result.after == (isContradicted ? ["contradiction"] : []))
        #expect(result.outcome == (isContradicted ? .contradiction : .closed))
        let shown = try await usual.notices(place)[chain.id] ?? []
        #expect(shown.contains("contradiction") == isContradicted)
        // It is not a gap: with the scope gaps no further request is sent, and it is not
        // reconciled.
        #expect(try await usual.reconcile(place, apple).chains == 0)
        let all = try await usual.reconcile(place, apple, .all).results
        #expect(all.contains { $0.before.contains("contradiction") } == isContradicted)
        // It existed before: nothing is reported as new.
        #expect(all.allSatisfy { $0.outcome != .contradiction })
    }

    @Test("A contradiction that Apple signs after the run began, by a clock ahead, is found")
    func signedDuringRun() async throws {
        let chain = MadeChain()
        let place = try TemporaryLedger()
        _ = try await place.ingest([chain.bought()])
        // The life explains the gap; the subscription expired months before this status.
        let active = chain.notification(
            .refundDeclined, nil, 1, at: AskedApple.now.advanced(byMilliseconds: 2_000),
            willRenew: false, status: .active)
        let tokens = try (chain.life + [active]).map { try $0.token() }
        let apple = try AskedApple(carrying: { _ in Told(tokens: tokens) })
        let result = try #require(try await usual.reconcile(place, apple).results.first)
        #expect(result.before == ["renewalOverdue"])
        #expect(result.after == ["contradiction"])
        #expect(result.outcome == .contradiction)
        #expect(
            result.queries.map(\.endpoint) == [
                "notificationHistory", "allSubscriptionStatuses", "transactionHistory",
                "refundHistory",
            ])
    }
}
