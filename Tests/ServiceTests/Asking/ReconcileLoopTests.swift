import AppStore
import AppStoreAPI
import AppleSync
import Foundation
import Intake
import Ledger
import LedgerTestSupport
import Proofs
import Queries
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Reconciling while the service runs")
struct ReconcileLoopTests {
    /// A life that Apple does not know, with an overdue renewal.
    private func strange() async throws -> TemporaryLedger {
        let place = try TemporaryLedger()
        _ = try await place.ingest([MadeChain().bought()])
        return place
    }

    /// Runs the loop until the last wanted note; with the time of each since the start.
    func notes(
        _ place: TemporaryLedger, _ apple: AskedApple,
        others: [BundleId: AppStoreServerAPIClient] = [:],
        until isLast: @escaping @Sendable (Int64) -> Bool
    ) async throws -> [(elapsed: Int64, note: ServingNote)] {
        let clock = apple.clock
        return try await place.serve(by: clock) { host in
            let (notes, reported) = AsyncStream.makeStream(of: (Int64, ServingNote).self)
            let loop = ReconcileLoop(
                host, clients: others.merging([AskedApple.app: apple.client]) { $1 }, clock: clock
            ) { reported.yield((clock.elapsedMilliseconds, $0)) }
            return await withTaskGroup(of: Void.self) { group in
                group.addTask { await loop.run() }
                var noted: [(elapsed: Int64, note: ServingNote)] = []
                for await (elapsed, note) in notes {
                    noted.append((elapsed, note))
                    if isLast(elapsed) { break }
                }
                group.cancelAll()
                return noted
            }
        }
    }

    @Test(
        "The first round is a minute after the start; a refused key is noted, and rests for an hour"
    )
    func rounds() async throws {
        let place = try await strange()
        let apple = try AskedApple(key: try ServedKey(keyId: "OTHER"))
        let first = ReconcileLimits.firstRoundMilliseconds
        let noted = try await notes(place, apple, until: { $0 > first })
        #expect(noted.allSatisfy { $0.note.environment == .production })
        #expect(noted.first?.note.message.contains("reconcile") == true)
        let times = Set(noted.map(\.elapsed)).sorted()
        #expect(times == [first, first + ReconcileLimits.refusedAppMilliseconds])
        // Rounds between them sent no request.
        #expect(
            ReconcileLimits.refusedAppMilliseconds
                > ReconcileLimits.roundMilliseconds)
    }

    @Test(
        "An app that Apple refuses, or its key, is named and rests for an hour; other apps go on",
        arguments: [(nil, "unauthorized"), (4_040_003, "refusedByApple")] as [(Int64?, String)])
    func refusedApp(number: Int64?, code: String) async throws {
        let other = BundleId("com.example.b")
        let place = try TemporaryLedger(apps: [MadeChain.app, other.rawValue])
        // More chains than one round reconciles; that of the other app is the most valuable.
        let count = ReconcileLimits.roundChainCount + 5
        let valuable = MadeChain(
            bundleId: other.rawValue, start: MadeChain().start.advanced(byMilliseconds: 86_400_000))
        _ = try await place.ingest(
            [valuable.bought()]
                + (0..<count).map { MadeChain(id: "5000000000001\(10 + $0)").bought() })
        let refused =
            if let number {
                try AskedApple(faults: [ServedFaultRule(.error(number))])
            } else { try AskedApple(key: try ServedKey(keyId: "OTHER")) }
        let first = ReconcileLimits.firstRoundMilliseconds
        let end = first + ReconcileLimits.refusedAppMilliseconds
        let noted = try await notes(
            place, try AskedApple(), others: [other: refused.client], until: { $0 >= end })
        let refusals = noted.map(\.note).filter { $0.code == code }
        #expect(refusals.map(\.level) == [.warning])
        #expect(refusals.first?.message.contains("\(other): ") == true)
        let rounds = noted.compactMap(\.note.reconciled)
        #expect(
            rounds.map { Set($0.results.map(\.chain.bundleId)) }
                == [[other, AskedApple.app], [AskedApple.app], [other, AskedApple.app]])
        #expect(rounds.map(\.withoutKey) == [0, 0, 0])
        #expect(rounds.dropFirst().first?.paused == ReconcileLimits.roundChainCount)
    }

    @Test("An app with a refused key is named and rests, also where Apple cannot be reached")
    func refusedKeyBesideAnotherFailure() async throws {
        let other = BundleId("com.example.b")
        let place = try TemporaryLedger(apps: [MadeChain.app, other.rawValue])
        // That of the other app comes first.
        let valuable = MadeChain(
            bundleId: other.rawValue, start: MadeChain().start(0, 86_400_000))
        _ = try await place.ingest(
            [valuable.bought()]
                + (0..<ReconcileLimits.failureStreak).map {
                    MadeChain(id: "5000000000001\(10 + $0)").bought()
                })
        let apple = try AskedApple()
        apple.transport.cut(after: 0)
        let refused = try AskedApple(key: try ServedKey(keyId: "OTHER"))
        let second =
            ReconcileLimits.firstRoundMilliseconds + ReconcileLimits.roundMilliseconds
        let noted = try await notes(
            place, apple, others: [other: refused.client], until: { $0 >= second }
        ).map(\.note)
        #expect(
            noted.map(\.code) == ["reconciled", "appleUnreachable", "unauthorized", "reconciled"])
        let refusal = noted.first { $0.code == "unauthorized" }
        #expect(refusal?.message.contains("\(other): ") == true)
        let rounds = noted.compactMap(\.reconciled)
        #expect(
            rounds.map { Set($0.results.map(\.chain.bundleId)) }
                == [[other, AskedApple.app], [AskedApple.app]])
    }

    @Test("Each app whose rate Apple limits is named, and does not rest")
    func limitedApps() async throws {
        let other = BundleId("com.example.b")
        let place = try TemporaryLedger(apps: [MadeChain.app, other.rawValue])
        _ = try await place.ingest(
            [MadeChain().bought(), MadeChain(bundleId: other.rawValue).bought()])
        let limits = [ServedFaultRule(.rateLimited(milliseconds: 600_000))]
        let limited = try AskedApple(faults: limits)
        let second =
            ReconcileLimits.firstRoundMilliseconds + ReconcileLimits.roundMilliseconds
        let noted = try await notes(
            place, try AskedApple(faults: limits), others: [other: limited.client],
            until: { $0 >= second }
        ).map(\.note)
        #expect(noted.map(\.code) == ["reconciled", "rateLimited", "rateLimited", "reconciled"])
        for app in [other, AskedApple.app] {
            #expect(noted.contains { $0.message.contains("\(app): ") })
        }
        let rounds = noted.compactMap(\.reconciled)
        #expect(rounds.map(\.paused) == [0, 0])
    }

    @Test("After an outage the service closes gaps automatically, a bounded number per round")
    func closes() async throws {
        let place = try await AskedApple.ledger()
        let apple = try AskedApple()
        let note = try #require(
            try await notes(place, apple, until: { _ in true }).first?.note)
        #expect(note.code == "reconciled")
        let report = try #require(note.reconciled)
        #expect(report.count(.closed) > 0)
        #expect(report.count(.closed) + report.count(.open) == report.results.count)
        #expect(report.results.count <= ReconcileLimits.roundChainCount)
        #expect(!report.results.isEmpty)
        #expect(note.level == .notice)
    }

    @Test(
        "Recovery and reconciliation are on unless configured otherwise, by a valid value",
        arguments: ["recovery", "reconcile"])
    func configured(_ key: String) throws {
        func isOn(_ read: ServiceConfiguration) -> Bool {
            key == "recovery" ? read.server.recovers : read.server.reconcile
        }
        #expect(isOn(ServiceConfiguration()))
        for (word, expected) in [("on", true), ("off", false)] {
            let read = try ServiceConfiguration(yaml: "server: { \(key): \(word) }")
            #expect(isOn(read) == expected)
        }
        let error = #expect(throws: ConfigurationError.self) {
            try ServiceConfiguration(yaml: "server: { \(key): sometimes }")
        }
        #expect(error?.key == "server.\(key)")
    }

    /// Notes each wait, and ends it like that of a cancelled task.
    private final class Waits: ServiceClock {
        private let noted = Mutex<[Int64]>([])
        let now = AskedApple.now

        var all: [Int64] { noted.withLock { $0 } }

        func sleep(milliseconds: Int64) async throws(CancellationError) {
            noted.withLock { $0.append(milliseconds) }
            throw CancellationError()
        }
    }

    @Test(
        "Recovery, reconciliation and checkpoints run where they are configured",
        arguments: [
            // Before its first round recovery waits 15 s, reconciliation 60 s, a checkpoint 10 s.
            (true, true, true, true, [10_000, 15_000, 60_000]),
            (true, true, false, false, [15_000]), (true, false, true, false, [60_000]),
            (true, false, false, true, [10_000]), (true, false, false, false, []),
            (false, true, true, true, [10_000]),
        ] as [(Bool, Bool, Bool, Bool, [Int64])])
    func loops(
        hasClient: Bool, recovers: Bool, reconciles: Bool, hasAudit: Bool, firstWaits: [Int64]
    ) async throws {
        // given
        let place = try TemporaryLedger()
        let apple = try AskedApple()
        var configuration = ServiceConfiguration(place.configuration)
        (configuration.server.recovers, configuration.server.reconcile) = (recovers, reconciles)
        if hasAudit {
            let key = try NoteSignerKey(name: "example.com/log")
            let file = place.directory.file("audit.key")
            try Data(key.secretText.utf8).write(to: URL(filePath: file))
            // That of the Sandbox, which is not served, has no file.
            configuration.audits = [(Environment.production, file), (.sandbox, "none")].map {
                .init(environment: $0, origin: "example.com/log", keyFile: $1)
            }
        }
        let served = configuration
        try await Gate.ledgers.pass {
            let host = try await LedgerHost.open(
                served, environments: [.production], roots: TestAuthority.roots, steady: nil
            ) { AskedApple.now }
            let clock = Waits()
            // when
            let clients = hasClient ? [AskedApple.app: apple.client] : [:]
            let loops = Result(catching: {
                try host.loops(clients, apple.transport, clock: clock)
            })
            for loop in (try? loops.get()) ?? [] { try? await loop.run() }
            async let running: Void = host.run()
            host.stop()
            await running
            // then
            let count = try loops.get().count
            #expect(count == firstWaits.count)
            #expect(clock.all.sorted() == firstWaits)
        }
    }
}
