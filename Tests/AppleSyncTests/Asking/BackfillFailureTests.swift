import AppStore
import AppStoreAPI
import Intake
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import AppleSync

@Suite("Backfill: failures")
struct BackfillFailureTests {
    private let usual = BackfillTests()

    @Test("What ids in flight appended when the run stopped is counted")
    func inFlight() async throws {
        let ledger = try TemporaryLedger()
        let ids = Array(BackfillTests.ids.prefix(BackfillLimits.concurrency))
        let (waiting, isRefused) = (Counter(), Flag())
        // The first id is refused while every other one has its statuses.
        let apple = try AskedApple(
            faults: [ServedFaultRule(.error(4_040_003), only: .refundHistory, count: 1)],
            onAnswer: { request, _ in
                let isOfFirst = request.url.contains("/\(ids[0])")
                if isOfFirst, request.url.contains("/refund/") {
                    while waiting.count < ids.count - 1 { await Task.yield() }
                    isRefused.set()
                } else if !isOfFirst, request.url.contains("/history/") {
                    waiting.increase()
                    while !isRefused.isSet { await Task.yield() }
                }
            })
        let first = try await usual.backfill(ids, apple, ledger)
        #expect(first.stop?.code == "refusedByApple")
        #expect(first.run.settled == 0)
        #expect(first.run.requests >= 3 + Int64(ids.count - 1))
        #expect(try await count(ledger) == first.run.appended + first.run.conflicts)
        let second = try await usual.backfill(ids, try AskedApple(), ledger)
        #expect(second.isComplete)
        #expect(try await count(ledger) == second.run.appended + second.run.conflicts)
    }

    private func count(_ ledger: TemporaryLedger) async throws -> Int64 {
        Int64(try await ledger.exportLines(.events).count)
    }

    @Test("With a clock days behind, the notifications are requested by Apple's, and the refunds")
    func clockBehind() async throws {
        let id = try #require(try await Self.extended())
        let apple = try AskedApple()
        let place = try TemporaryLedger()
        let report = try await place.ledger { ledger in
            let books = EnvironmentLedgers(
                place.configuration, apps: place.configuration.apps, verifier: place.verifier,
                revocation: nil, ledgers: [ledger]
            ) { apple.clock.now.advanced(byMilliseconds: -2 * 86_400_000) }
            return try await Backfill(
                apple.client, ledgers: books, keptIn: ledger, in: .only(.production)
            ).run(IdList([id]))
        }
        #expect(report.failed.map(\.code) == [])
        #expect(report.isComplete)
        #expect(apple.api.counts[.refundHistory] == 1)
        let windows = try apple.transport.sent
            .filter { $0.url.hasSuffix("/notifications/history") }
            .map { try JSONValue.parse($0.body ?? [])["endDate"]?.int64 }
        let behind = AskedApple.now.advanced(byMilliseconds: -2 * 86_400_000)
        #expect(windows.first == behind.milliseconds)
        #expect(windows.last == AskedApple.now.milliseconds)
    }

    @Test(
        "An id that Apple knows in one request and not in another is not unknown",
        arguments: [ServedEndpoint.transactionHistory, .refundHistory])
    func unknownInOne(_ endpoint: ServedEndpoint) async throws {
        let id = try #require(AskedApple.longLife)
        let ledger = try TemporaryLedger()
        let apple = try AskedApple(faults: [ServedFaultRule(.error(4_040_010), only: endpoint)])
        let report = try await usual.backfill([id], apple, ledger)
        #expect(report.unknown == [])
        #expect(report.run.done == 1)
        #expect(report.isComplete)
        #expect(report.run.appended > 0)
        #expect(apple.api.counts[.refundHistory] == 1)
    }

    /// An id whose renewal was extended.
    private static func extended() async throws -> String? {
        let apple = try AskedApple()
        for id in StoredReceipts.reported.ids(at: AskedApple.now) {
            let statuses = try await apple.client.allSubscriptionStatuses(
                id, in: .only(.production))
            let items = (statuses.value.data ?? []).flatMap { $0.lastTransactions ?? [] }
            if items.contains(where: \.isOutlasting) { return id }
        }
        return nil
    }
}

/// Counts what several tasks do.
private final class Counter: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    func increase() { state.withLock { $0 += 1 } }
}
