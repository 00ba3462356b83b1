import AppStore
import AppStoreAPI
import AppleSync
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Simulator
import TestSupport
import Testing

@Suite("Backfill, against the simulated API")
struct BackfillTests {
    static let ids = AskedApple.production.someIds(10)
    static let sandboxIds = AskedApple.sandbox.someIds(3)

    /// Processes a list with newly opened ledgers, as a command does.
    func backfill(
        _ ids: [String], _ apple: AskedApple, _ ledger: TemporaryLedger,
        in choice: EnvironmentChoice = .productionFirst, restarts: Bool = false,
        includesRefunds: Bool = true
    ) async throws -> BackfillReport {
        try await Gate.ledgers.pass {
            let books = apple.books(ledger)
            let result = await Result {
                let kept = try await books.ledger(ledger.environment)
                return try await Backfill(
                    apple.client, ledgers: books, keptIn: kept, in: choice,
                    includesRefunds: includesRefunds
                ).run(IdList(ids), restarts: restarts)
            }
            await books.close()
            return try result.get()
        }
    }

    // MARK: Failures

    @Test(
        "A key or an app that Apple refuses ends the run at once, and no id is settled",
        arguments: [(nil, "unauthorized"), (4_040_003, "refusedByApple")] as [(Int64?, String)])
    func refusedApp(number: Int64?, code: String) async throws {
        let ledger = try TemporaryLedger()
        let apple =
            if let number {
                try AskedApple(faults: [ServedFaultRule(.error(number))])
            } else { try AskedApple(key: try ServedKey(keyId: "OTHER")) }
        let report = try await backfill(Self.ids, apple, ledger)
        #expect(report.stop?.code == code)
        #expect(report.run.settled == 0)
        #expect(report.left == Self.ids.count)
        #expect(report.failed.isEmpty)
    }

    @Test("After an outage in the middle, fetched events remain and the same list resumes there")
    func outage() async throws {
        let ledger = try TemporaryLedger()
        let apple = try AskedApple()
        apple.transport.refuse(Self.ids.suffix(BackfillLimits.failureStreak))
        let first = try await backfill(Self.ids, apple, ledger)
        #expect(first.stop?.code == "appleUnreachable")
        #expect(first.run.settled > 0)
        #expect(first.left > 0)
        apple.transport.refuse([])
        let second = try await backfill(Self.ids, apple, ledger)
        #expect(second.resumedAt == first.run.settled)
        #expect(second.estimate.ids == first.left)
        #expect(second.isComplete)
        #expect(second.stop == nil)
        let usual = try await Self.usual.value
        #expect(try await transactions(ledger) == usual)
    }

    @Test("A list that was interrupted starts again with a log that lost what was fetched")
    func restored() async throws {
        let ledger = try TemporaryLedger()
        let apple = try AskedApple()
        apple.transport.refuse(Self.ids.suffix(BackfillLimits.failureStreak))
        let first = try await backfill(Self.ids, apple, ledger)
        #expect(first.run.settled > 0)
        apple.transport.refuse([])
        let directory = ledger.environmentDirectory
        for name in try FileDamage.names(in: directory) where !name.hasPrefix("operations") {
            try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
        }
        let second = try await backfill(Self.ids, apple, ledger)
        #expect(second.resumedAt == 0)
        let usual = try await Self.usual.value
        #expect(try await transactions(ledger) == usual)
    }

    @Test("A customer who is erased during the requests leaves no place in a history")
    func erasedMeanwhile() async throws {
        let place = try await AskedApple.ledger()
        let id = try #require(AskedApple.longLife)
        let key = HistoryPlace.Key(
            bundleId: AskedApple.app, id: id, endpoint: "transactionHistory")
        for isErasing in [false, true] {
            try await place.session { session in
                let apple = try AskedApple(onAnswer: { _, _ in
                    guard isErasing else { return }
                    _ = try? await PersonErasure(session, now: AskedApple.now).run(
                        chains: [place.chain(id)], customer: nil, TemporaryLedger.erasing)
                })
                let books = EnvironmentLedgers(
                    place.configuration, apps: place.configuration.apps,
                    verifier: place.verifier, revocation: nil, ledgers: [session.ledger]
                ) { apple.clock.now }
                let operations = session.ledger.operations
                _ = try await Backfill(
                    apple.client, ledgers: books, keptIn: session.ledger, in: .only(.production),
                    includesRefunds: false
                ).run(IdList([id]))
                #expect((try await operations.place(key) == nil) == isErasing)
            }
        }
    }

    @Test(
        "A list done without refunds is not done for a run with refunds, and vice versa"
    )
    func refundsLater() async throws {
        let ledger = try TemporaryLedger()
        let apple = try AskedApple()
        apple.transport.refuse(Self.ids.suffix(BackfillLimits.failureStreak))
        let first = try await backfill(Self.ids, apple, ledger, includesRefunds: false)
        #expect(first.run.settled > 0)
        #expect(first.left > 0)
        apple.transport.refuse([])
        let whole = try await backfill(Self.ids, apple, ledger)
        #expect(whole.resumedAt == 0)
        #expect(whole.estimate.ids == Self.ids.count)
        #expect(whole.isComplete)
        // The run without refunds is still where it was.
        let second = try await backfill(Self.ids, apple, ledger, includesRefunds: false)
        #expect(second.resumedAt == first.run.settled)
    }

    @Test("A list interrupted in one environment is not resumed in both")
    func environmentsLater() async throws {
        let ledger = try TemporaryLedger()
        let apple = try AskedApple()
        let ids = [Self.sandboxIds[0]] + Self.ids
        apple.transport.refuse(ids.suffix(BackfillLimits.failureStreak))
        let first = try await backfill(
            ids, apple, ledger, in: .only(.production), includesRefunds: false)
        #expect(first.run.settled > 0)
        #expect(first.left > 0)
        apple.transport.refuse([])
        let second = try await backfill(ids, apple, ledger, includesRefunds: false)
        #expect(second.resumedAt == 0)
        #expect(second.unknown.isEmpty)
        #expect(second.isComplete)
    }

    @Test("Isolated failures do not end the run, and those ids are requested once more")
    func fewFailures() async throws {
        let ledger = try TemporaryLedger()
        let apple = try AskedApple(faults: [
            ServedFaultRule(.error(5_000_001), only: .transactionHistory, from: 3, count: 4)
        ])
        let report = try await backfill(Self.ids, apple, ledger)
        #expect(report.stop == nil)
        #expect(report.isComplete)
        #expect(report.failed.isEmpty)
    }

    @Test(
        "An id with one of Apple's errors to retry is requested once more at the end",
        arguments: [Int64(4_040_002), 4_040_004, 4_040_006])
    func errorsToRetry(_ number: Int64) async throws {
        // Only the first id is of Sandbox; both attempts of its request fail.
        let apple = try AskedApple(sandboxFaults: [
            ServedFaultRule(.error(number), only: .transactionHistory, count: 2)
        ])
        let report = try await backfill(
            [Self.sandboxIds[0]] + Self.ids.prefix(3), apple, try TemporaryLedger())
        #expect(report.stop == nil)
        #expect(report.failed.isEmpty)
        #expect(report.isComplete)
    }

    @Test("When Apple fails permanently in the middle, the run stops, and a later one finishes it")
    func lastingFailure() async throws {
        let ledger = try TemporaryLedger()
        let broken = try AskedApple(faults: [
            ServedFaultRule(.error(5_000_001), only: .refundHistory, from: 5)
        ])
        let first = try await backfill(Self.ids, broken, ledger)
        #expect(first.stop?.code == "appleUnavailable")
        #expect(!first.isComplete)
        let second = try await backfill(Self.ids, try AskedApple(), ledger)
        #expect(second.isComplete)
        #expect(second.failed.isEmpty)
    }

    @Test(
        "Bad responses fail their ids by name, append nothing, and the rest continues",
        arguments: [
            (ServedFault.badSignature, "signatureMismatch"),
            (.anotherApp, "answerForAnotherApp"), (.garbage, "unreadableAnswer"),
            (.loop, "endlessPages"), (.barren, "endlessPages"),
        ])
    func badAnswers(_ fault: ServedFault, _ code: String) async throws {
        let ledger = try TemporaryLedger()
        let apple = try AskedApple(faults: [
            ServedFaultRule(fault, only: .transactionHistory),
            ServedFaultRule(fault, only: .refundHistory),
        ])
        // More than end a run where Apple cannot be reached.
        let ids = Array(Self.ids.prefix(BackfillLimits.failureStreak + 2))
        let report = try await backfill(ids, apple, ledger)
        #expect(report.left == 0)
        #expect(report.stop == nil)
        #expect(report.failed.map(\.code) == Array(repeating: code, count: ids.count))
        let kinds = try await ledger.exportLines(.events).map { $0["kind"]?.string }
        // A page that leads to itself is still a genuine page.
        if fault != .loop { #expect(kinds.allSatisfy { $0 == "renewalPair" }) }
    }

    @Test("Refund histories of another app are quarantined, and their ids fail")
    func foreignRefunds() async throws {
        let ledger = try TemporaryLedger()
        let apple = try AskedApple(faults: [
            ServedFaultRule(.anotherApp, only: .refundHistory)
        ])
        let report = try await backfill(Self.ids, apple, ledger)
        #expect(!report.failed.isEmpty)
        #expect(report.failed.allSatisfy { $0.code == "wrongApp" })
        #expect(report.run.done + report.failed.count == Self.ids.count)
    }

    @Test("Unknown ids are reported, and requested in both environments")
    func unknown() async throws {
        let ledger = try TemporaryLedger()
        let apple = try AskedApple()
        let report = try await backfill(["1", Self.ids[0], "2"], apple, ledger)
        #expect(report.unknown == ["1", "2"])
        #expect(report.failed.isEmpty)
        #expect(report.run.done == 1)
        #expect(!report.isComplete)
        #expect(apple.sandboxApi.counts[.transactionHistory] == 2)
    }

    @Test("Where Production does not admit the app, an id unknown to Sandbox is unknown")
    func unreleased() async throws {
        let apple = try AskedApple(faults: [ServedFaultRule(.status(401))])
        let report = try await backfill(["1"] + Self.sandboxIds, apple, try TemporaryLedger())
        #expect(report.stop == nil)
        #expect(report.unknown == ["1"])
        #expect(report.run.done == Self.sandboxIds.count)
    }

    @Test("429 is waited for, and nothing fails")
    func rateLimited() async throws {
        let ledger = try TemporaryLedger()
        let apple = try AskedApple(faults: [
            ServedFaultRule(
                .rateLimited(milliseconds: 3_000), only: .transactionHistory, count: 1)
        ])
        let report = try await backfill(Array(Self.ids.prefix(3)), apple, ledger)
        #expect(report.isComplete)
        #expect(apple.clock.elapsedMilliseconds >= 3_000)
    }

    // MARK: Success

    @Test("Every transaction of every id is in the ledger, verified, with the source history")
    func whole() async throws {
        let ledger = try TemporaryLedger()
        let report = try await backfill(Self.ids, try AskedApple(), ledger)
        #expect(report.isComplete)
        #expect(report.run.done == Self.ids.count)
        let events = try await ledger.exportLines(.events)
        #expect(Int64(events.count) == report.run.appended + report.run.conflicts)
        #expect(report.positions.map(\.position) == [Int64(events.count)])
        #expect(events.allSatisfy { $0["source"]?.string == "history" })
        let chains = Set(events.compactMap { $0["originalTransactionId"]?.string })
        #expect(chains == Set(Self.ids))
    }

    @Test("A finished list starts again, and histories fetch only changes")
    func again() async throws {
        let ledger = try TemporaryLedger()
        let apple = try AskedApple()
        let first = try await backfill(Self.ids, apple, ledger)
        let asked = apple.transport.sent.count
        let second = try await backfill(Self.ids, apple, ledger)
        #expect(second.resumedAt == 0)
        #expect(second.isComplete)
        let again = apple.transport.sent.dropFirst(asked)
        let histories = again.filter { $0.url.contains("/history/") }
        #expect(histories.count == Self.ids.count)
        #expect(histories.allSatisfy { $0.url.contains("revision=") })
        // Only the statuses, which Apple signs again each time.
        #expect(second.run.appended < first.run.appended)
        let kinds = try await ledger.exportLines(.events).dropFirst(Int(first.run.appended))
            .map { $0["kind"]?.string }
        #expect(kinds.allSatisfy { $0 == "renewalPair" })
    }

    @Test("A revision is not trusted when the ledger does not hold what was fetched")
    func lostLog() async throws {
        let (ledger, ids) = (try TemporaryLedger(), Array(Self.ids.prefix(3)))
        _ = try await backfill(ids, try AskedApple(), ledger)
        // Another log replaces the one that the revisions are about.
        let other = try TemporaryLedger()
        _ = try await backfill([ids[0]], try AskedApple(), other)
        try FileDamage.copy(
            other.environmentDirectory + "/log.sqlite",
            to: ledger.environmentDirectory + "/log.sqlite")
        let apple = try AskedApple()
        let report = try await backfill(ids, apple, ledger)
        #expect(report.isComplete)
        let histories = apple.transport.sent.filter { $0.url.contains("/history/") }
        #expect(histories.allSatisfy { !$0.url.contains("revision=") })
    }

    @Test("A revision that Apple no longer accepts is dropped, and the whole history fetched")
    func staleRevision() async throws {
        let ledger = try TemporaryLedger()
        _ = try await backfill([Self.ids[0]], try AskedApple(), ledger)
        let apple = try AskedApple(faults: [
            ServedFaultRule(.error(4_000_005), only: .transactionHistory, count: 1)
        ])
        let report = try await backfill([Self.ids[0]], apple, ledger)
        #expect(report.isComplete)
        #expect(apple.api.counts[.transactionHistory] == 2)
    }

    @Test("Each environment's responses go into its own ledger")
    func environments() async throws {
        let ledger = try TemporaryLedger()
        let apple = try AskedApple()
        let report = try await backfill([Self.ids[0], Self.sandboxIds[0]], apple, ledger)
        #expect(report.isComplete)
        #expect(report.positions.map(\.environment) == [.production, .sandbox])
        var sandbox = ledger
        sandbox.environment = .sandbox
        let chains = Set(
            try await sandbox.exportLines(.events)
                .compactMap { $0["originalTransactionId"]?.string })
        #expect(chains == [Self.sandboxIds[0]])
    }

    @Test("With one environment requested, the other is not contacted")
    func stated() async throws {
        let ledger = try TemporaryLedger()
        let apple = try AskedApple()
        let report = try await backfill(
            [Self.sandboxIds[0]], apple, ledger, in: .only(.production))
        #expect(report.unknown == [Self.sandboxIds[0]])
        #expect(apple.sandboxApi.counts.isEmpty)
    }

    @Test("An empty list is done")
    func empty() async throws {
        let report = try await backfill([], try AskedApple(), try TemporaryLedger())
        #expect(report.isComplete)
        #expect(report.estimate.requests == 0)
    }

    /// `transactions` after a run without failures; run once for all tests.
    private static let usual = Task {
        let (tests, ledger) = (BackfillTests(), try TemporaryLedger())
        _ = try await tests.backfill(ids, try AskedApple(), ledger)
        return try await tests.transactions(ledger)
    }

    /// When access began, independently of when Apple signed.
    private func transactions(_ ledger: TemporaryLedger) async throws -> [String] {
        try await ledger.exportLines(.transitions)
            .filter { ["subscribed", "renewing"].contains($0["to"]?.string) }
            .map { line in
                ["originalTransactionId", "at", "transactionId"]
                    .map { line[$0]?.string ?? "" }.joined(separator: " ")
            }
    }
}
