import AppStore
import Ledger
import LedgerStore
import Signing

@testable import PostgresStore

/// Every call of a log or of operational state that runs statements on tables (`LedgerLog`,
/// `OperationalState`, `SharedOperations`), so that `PostgresConnection.known` has them all. What
/// they answer is tested elsewhere.
extension Database {
    private static let start = Timestamp(milliseconds: 1_770_000_000_000)
    private static let list = SHA256.hash([1])
    private static let app = BundleId("com.example")
    private static let chain = ChainId(
        bundleId: app, originalTransactionId: OriginalTransactionId("1"))

    /// - Parameter options: of the connections, such as another role.
    func askEverything(adding options: String = "") async throws {
        let place = try place(adding: options)
        let log = try await Database.open(place)
        try await askLog(log)
        await log.close()
        let store = try await PostgresOperations.open(place, environment: .production)
        try await askQuarantine(store)
        try await askRecovery(store)
        try await askUploads(store)
        try await askRequests(store)
        try await askFeeds(store)
        try await askWebhooks(store)
        try await store.noteNode(at: 1)
        _ = try await store.nodes()
        _ = try await store.leases()
        try await store.erase(chains: [Self.chain], ids: ["1"], positions: [1])
        await store.close()
    }

    private func askLog(_ log: PostgresLog) async throws {
        let event = try Made.event("a")
        _ = try await log.append([event])
        _ = try await log.position(ofKnown: event)
        _ = try await log.event(key: event.key)
        _ = try await log.leafHashes(after: 0, through: 1)
        _ = try await log.extended(CompactRange(), through: 1)
        _ = try await log.edge()
        _ = try await log.sweepPositions(through: 1)
        _ = try await log.erasurePositions(after: 0, through: 1)
        _ = try await log.decisionPositions(through: 1, limit: 1)
        _ = try await log.arrivals(of: Self.app, since: Self.start, after: 0, through: 1)
        _ = try await log.firstAppend(after: 0, through: 1)
        _ = try await log.notifications(
            signedIn: CompleteWindow(from: Self.start, through: Self.start), after: 0, through: 1)
        _ = try await log.notifications(signedIn: nil, after: 0, through: 1)
    }

    private func askQuarantine(_ store: PostgresOperations) async throws {
        // With so many, an unverifiable input has the oldest one dropped.
        try sql(
            """
            UPDATE \(schema).quarantine_totals SET items = \(QuarantineLimits.unverifiableCount)
            WHERE standing = \(QuarantineStanding.unverifiable.code)
            """)
        for standing in [QuarantineStanding.genuineForeign, .unverifiable, .unverifiable] {
            _ = try await store.quarantine(
                NewQuarantineItem(
                    receivedAt: Self.start, standing: standing, code: "c", message: "m",
                    bundleId: Self.app, bytes: Array(standing.rawValue.utf8), input: "i"))
        }
        _ = try await store.quarantine(
            NewQuarantineItem(
                receivedAt: Self.start, standing: .genuineForeign, code: "c", message: "m",
                bytes: Array(QuarantineStanding.genuineForeign.rawValue.utf8), input: "i"))
        _ = try await store.quarantineCount()
        _ = try await store.quarantineTotals()
        _ = try await store.quarantined(after: 0, limit: 1)
        _ = try await store.quarantined(before: nil, limit: 1)
        _ = try await store.quarantineItem(1)
        _ = try await store.removeFromQuarantine(1)
    }

    private func askRecovery(_ store: PostgresOperations) async throws {
        let slice = RecoverySlice(pass: 0, from: Self.start, to: Self.start)
        let report = StoredReport(
            bundleId: Self.app, endedAt: Self.start, isFlawed: false, json: "{}", text: "")
        for id in ["1", "2"] {
            _ = try await store.beginRecovery(
                id, at: Self.start, start: 0, log: .start, slices: [slice], keptFor: 1)
            try await store.advanceRecovery(
                id, slice, undelivered: [(name: "1", body: "{}")], appleDate: nil,
                isFlawed: false, log: .start)
            try await store.divideRecovery(
                id, slice, into: [slice], appleDate: nil, isFlawed: false, log: .start)
            _ = try await store.recovery(id)
            _ = try await store.undelivered(id)
            _ = try await store.openRecoveries()
            let erasures = try await store.erasureCount()
            try await store.endRecovery(id, keeping: report, erasures: erasures)
        }
        _ = try await store.lastRecoveryReport(of: nil)
        _ = try await store.recoveryReports()
        _ = try await store.recoveryReport(1)
    }

    private func askUploads(_ store: PostgresOperations) async throws {
        // With so many, a new key has the oldest one dropped.
        try sql(
            """
            INSERT INTO \(schema).upload_keys (key, request, taken_at)
            SELECT convert_to(n::text, 'UTF8'), '\\x00', \(Self.start.milliseconds)
            FROM generate_series(1, \(OperationsLimits.uploadKeyCount)) AS numbers (n)
            """)
        for _ in 0..<2 {
            _ = try await store.take(uploadKey: "k", request: Self.list, at: Self.start)
        }
        let record = UploadRecord(
            result: "appended", eventPosition: 1, claim: nil, at: Self.start, position: 1)
        _ = try await store.keep(record, uploadKey: "k")
        try await store.forget(uploadKey: "k", takenAt: Self.start)
    }

    private func askRequests(_ store: PostgresOperations) async throws {
        let trouble = BackfillRun.Trouble(ordinal: 0, id: "1", code: nil, message: "m")
        try await store.keep(
            BackfillRun(startedAt: Self.start), of: Self.list, troubles: [trouble], solved: 1,
            at: Self.start)
        _ = try await store.backfill(Self.list)
        try await store.forgetBackfill(Self.list)
        let key = HistoryPlace.Key(bundleId: Self.app, id: "1", endpoint: "e")
        try await store.keep(HistoryPlace(revision: "r", log: .start), of: key)
        _ = try await store.place(key)
        try await store.keep(nil, of: key)
        let lookup = ChainLookup(requestedAt: Self.start, times: 1, notices: [])
        try await store.keep(lookup, of: Self.chain)
        _ = try await store.lookups()
        try await store.keep(nil, of: Self.chain)
        let checkpoint = StoredCheckpoint(size: 1, note: "n", signedAt: Self.start)
        try await store.keep(checkpoint)
        _ = try await store.adopt([checkpoint])
        _ = try await store.checkpoints(after: 0, limit: 1)
        _ = try await store.checkpoints(before: 1, limit: 1)
        let answer = RetentionRecord(
            requestId: "r", chain: Self.chain, at: Self.start, outcome: .noRule)
        let erasures = try await store.erasureCount()
        _ = try await store.keep([answer], erasures: erasures)
        _ = try await store.retentionAnswers(
            after: RetentionRecord.Place(answer), before: Self.start, limit: 1)
    }

    private func askFeeds(_ store: PostgresOperations) async throws {
        let end = ProjectionCursor(position: 1, leafHash: Self.list)
        try await store.keepClock(
            end: end, at: Self.start, rules: Self.list, chains: [Self.chain])
        _ = try await store.feedClock()
        _ = try await store.readingEnds(before: 2, limit: 1)
        _ = try await store.clockReadings(of: [Self.chain])
        _ = try await store.clockReadings(after: .beginning, through: 1, limit: 1)
        try await store.forgetClock(after: .start)
    }

    private func askWebhooks(_ store: PostgresOperations) async throws {
        let lease = try await store.lease(.webhooks)
        let endpoint = try await store.begin(WebhookEndpointRow(name: "a", cursor: .beginning))
        let change = WaitingChange(
            place: .end(of: 1), chain: Self.chain, attempts: 1, firstAt: Self.start,
            nextAt: Self.start)
        try await store.keep(endpoint, waiting: [change], done: [change.chainPlace])
        _ = try await store.webhookEndpoint("a")
        _ = try await store.waiting(for: "a", limit: 1)
        _ = try await store.waitingCounts(for: "a")
        _ = try await store.dropParked(for: "a", keeping: 1)
        try await store.enableWebhook("a")
        try await store.forgetParked([change.chainPlace], of: "a")
        withExtendedLifetime(lease) {}
    }
}
