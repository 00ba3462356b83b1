import AppStore
import AppStoreAPI
import AppleSync
import Foundation
import Intake
import Ledger
import LedgerStore
import Projection
import Queries
import SQLiteStore
import Signing
import Simulator
import Synchronization
import TestSupport
import Testing

/// A ledger and a simulated Apple in the same process: no socket, no waiting, no wall clock.
package struct RecoveryWorld: Sendable {
    package static let books = ServedRecords(HistoryPlan(limit: .chains(300)))
    /// Everything was requested at once.
    package static let attempts = AttemptLog(delivering: books)

    /// Apple's attempts, of which those in outages failed; made once for all tests.
    package static func attempts(_ outages: [ClosedRange<Timestamp>]) -> AttemptLog {
        guard !outages.isEmpty else { return attempts }
        return logs.withLock { logs in
            if let known = logs[outages] { return known }
            let log = AttemptLog(delivering: books, outages: outages.map { DeliveryOutage($0) })
            logs[outages] = log
            return log
        }
    }
    private static let logs = Mutex<[[ClosedRange<Timestamp>]: AttemptLog]>([:])

    package static let now = AskedApple.now
    package static let app = AskedApple.app

    package var ledger: TemporaryLedger
    package var faults: [ServedFaultRule] = []
    package var outages: [ClosedRange<Timestamp>] = []
    /// Attempts per request.
    package var attemptCount = 3

    package init(in directory: TemporaryDirectory? = nil) throws {
        ledger = try TemporaryLedger(apps: [RecoveryWorld.app.rawValue], in: directory)
        ledger.configuration.apps[0].appAppleId = 1_234_567_890
        ledger.now = RecoveryWorld.now
    }

    /// This many days before `now`.
    package static func days(_ count: Int64) -> Timestamp {
        now.advanced(byMilliseconds: -count * 86_400_000)
    }

    package static func request(_ from: Int64, _ to: Int64) -> RecoveryRequest {
        RecoveryRequest(
            bundleId: app, environment: .production, from: days(from), to: days(to))
    }

    /// Apple, with this world's faults from the first request on.
    package func apple(
        clock: @escaping @Sendable () -> Timestamp = { RecoveryWorld.now }
    ) -> SimulatedAPI {
        var setup = SimulatedAPI.Setup(
            books: RecoveryWorld.books, key: TestAuthority.key, authority: TestAuthority.shared,
            attempts: RecoveryWorld.attempts(outages), storeClock: clock, clock: clock)
        setup.faults = faults
        setup.rateWindowMilliseconds = nil
        return SimulatedAPI(setup)
    }

    package func client(
        _ api: SimulatedAPI,
        onAnswer: @escaping @Sendable (TransportRequest, TransportResponse) async -> Void = {
            _, _ in
        },
        carrying: (SimulatedTransport) -> any APITransport = { $0 }
    ) throws -> AppStoreServerAPIClient {
        AppStoreServerAPIClient(
            credentials: try TestAuthority.key.credentials(RecoveryWorld.app),
            transport: carrying(SimulatedTransport(production: api, onAnswer: onAnswer)),
            clock: ManualClock(RecoveryWorld.now, sleeping: .advances),
            policy: RetryPolicy(
                attempts: attemptCount, firstWaitMilliseconds: 1, longestWaitMilliseconds: 1,
                budgetMilliseconds: 10_000))
    }

    // MARK: Steps

    /// The result of a recovery, and the number of requests.
    package struct Recovered: Sendable {
        package let report: RecoveryReport
        package let requestCount: Int
        package let head: LogHead
    }

    /// - Parameters:
    ///   - meanwhile: arrives as live deliveries after Apple's first response.
    ///   - projected: called after each state that the recovery reads.
    package func recover(
        _ request: RecoveryRequest, meanwhile: [[UInt8]] = [],
        report: @escaping Recovery.Report = { _ in },
        projected: @escaping @Sendable (EnvironmentLedger) async throws(StoreError) -> Void = {
            _ in
        },
        carrying: (SimulatedTransport) -> any APITransport = { $0 }
    ) async throws -> Recovered {
        let api = apple()
        return try await ledger.ledger { opened in
            let live = LiveArrivals(posting(to: opened), meanwhile)
            let client = try client(
                api, onAnswer: { _, _ in await live.arrive() }, carrying: carrying)
            let now = ledger.now
            let projecting = CommandProjecting(opened) { _ in }
            let recovery = Recovery(
                request, ledger: opened, client: client, apps: ledger.configuration.apps,
                verifier: ledger.verifier, revocation: nil
            ) { now }
            let result = await Result {
                try await RecoveryRun(recovery) { () async throws(StoreError) in
                    let snapshot = try await projecting.snapshot()
                    try await projected(opened)
                    return snapshot
                }.run(report: report)
            }
            let head = try await opened.log.head()
            await projecting.close()
            try await live.check()
            return Recovered(
                report: try result.get(), requestCount: api.counts[.notificationHistory] ?? 0,
                head: head)
        }
    }

    /// Delivers a body as Apple does.
    package func deliver(_ body: [UInt8]) async throws {
        let summary = try await ledger.ledger { opened in
            try await posting(to: opened).run(lines: [body], input: "live")
        }
        #expect(summary.appended == 1)
    }

    private func posting(to opened: EnvironmentLedger) -> Ingest {
        Ingest(
            ledger: opened, apps: ledger.configuration.apps, verifier: ledger.verifier,
            source: .webhook
        ) { [ledger] in ledger.now }
    }

    /// The failure of a recovery.
    package func failure(_ request: RecoveryRequest) async throws -> RecoveryFailure? {
        do {
            _ = try await recover(request)
            return nil
        } catch let failure as RecoveryFailure {
            return failure
        }
    }

    /// Apple's history of a window, by notificationUUID; requested once for all tests.
    package func sent(_ from: Int64, _ to: Int64) async throws -> Set<String> {
        let asked = RecoveryWorld.histories.withLock { histories in
            let window = [from, to]
            if let known = histories[window] { return known }
            let asked = Task { try await history(from, to) }
            histories[window] = asked
            return asked
        }
        return try await asked.value
    }

    /// By the days before `now` of a window's ends.
    private static let histories = Mutex<[[Int64]: Task<Set<String>, any Error>]>([:])

    private func history(_ from: Int64, _ to: Int64) async throws -> Set<String> {
        var question = NotificationHistoryRequest()
        question.startDate = RecoveryWorld.days(from)
        question.endDate = RecoveryWorld.days(to)
        var world = self
        world.faults = []
        let client = try world.client(world.apple())
        var found: Set<String> = []
        for try await page in client.notificationHistoryPages(question, in: .production) {
            for item in page.value.notificationHistory ?? [] {
                let jws = try CompactJWS(parsing: Array((item.signedPayload ?? "").utf8))
                let payload = try NotificationPayload.decode(jws.payload)
                found.insert(try #require(payload.notificationUUID?.rawValue))
            }
        }
        return found
    }

    /// Every notification in the log, by notificationUUID, in order.
    package func held() async throws -> [String] {
        try await ledger.exportLines(.events).compactMap { $0["notificationUUID"]?.string }
    }

    package func audit() async throws {
        try await ledger.session { session in
            let check = try await RebuildCheck(try #require(session.projector)).run()
            #expect(check.count == 0)
            #expect(check.fileFindings.isEmpty, "\(check.fileFindings)")
        }
    }
}

/// Deliveries that arrive while something else runs, once.
package actor LiveArrivals {
    private let ingest: Ingest
    private var lines: [[UInt8]]
    private let count: Int64
    private var taken: Int64 = 0

    package init(_ ingest: Ingest, _ lines: [[UInt8]]) {
        self.ingest = ingest
        self.lines = lines
        count = Int64(lines.count)
    }

    package func arrive() async {
        let due = lines
        lines = []
        guard !due.isEmpty else { return }
        taken += (try? await ingest.run(lines: due, input: "live"))?.appended ?? 0
    }

    /// Whether all of them came, and came first.
    package func check() throws { #expect(taken == count) }
}
