import AppStore
import AppStoreAPI
internal import AppleSync
internal import Intake
internal import LedgerStore
internal import Signing
internal import Simulator

extension Bench {
    /// Apple's documented rate in notifications per second: 50 requests of 20 (App Store Server
    /// API).
    static let documentedRate = 1_000.0

    /// Recovers the file's notifications into an empty ledger: from Apple's response to events,
    /// rows and report. The simulated Apple answers at once and without limits; the second figure
    /// is the share of one core at the documented rate.
    public func recover() async throws -> [BenchRow] {
        let sent = try recorded()
        guard let first = sent.first, let last = sent.last, let app = apps.first else {
            throw BenchProblem.noInput
        }
        let now = last.signedDate.advanced(byMilliseconds: 86_400_000)
        let scratch = try await scratch { now }
        let key = try ServedKey()
        // Any: the token is not checked.
        let credentials = try APICredentials(
            keyId: key.keyId, issuerId: key.issuerId, bundleId: app.bundleId, pem: key.pem)
        let client = AppStoreServerAPIClient(
            credentials: credentials, transport: RecordedHistory(sent),
            clock: InstantClock(now))
        let projecting = CommandProjecting(scratch.ledger) { _ in }
        let recovery = Recovery(
            RecoveryRequest(
                bundleId: app.bundleId, environment: environment, from: first.signedDate,
                to: last.signedDate.advanced(byMilliseconds: 1)),
            ledger: scratch.ledger, client: client, apps: apps,
            verifier: EvidenceVerifier(roots: roots), revocation: nil
        ) { now }
        let cpu = ProcessorTime.seconds
        let started = ContinuousClock.now
        let report = try await RecoveryRun(recovery) { () async throws(StoreError) in
            try await projecting.snapshot()
        }.run()
        let elapsed = (ContinuousClock.now - started).seconds
        let spent = ProcessorTime.seconds - cpu
        guard report.refusedCount == 0, report.newCount == Int64(sent.count) else {
            throw BenchProblem.refused
        }
        await scratch.remove()
        let count = Double(sent.count)
        return [
            BenchRow(
                "recover", count / elapsed, "notifications/s",
                against: .init("Apple's documented rate", Bench.documentedRate),
                events: sent.count),
            BenchRow(
                "recover.core", spent / count * Bench.documentedRate, "cores at Apple's rate",
                against: .init("one core", 1), events: sent.count),
        ]
    }

    /// The file's notifications as in Apple's history: without duplicates, in order of signing.
    private func recorded() throws -> [RecordedHistory.Sent] {
        var seen: Set<String> = []
        var sent: [RecordedHistory.Sent] = []
        for line in try bodies() {
            guard let text = try JSONValue.parse(line)["signedPayload"]?.string,
                let payload = try? NotificationPayload.decode(
                    CompactJWS(parsing: Array(text.utf8)).payload),
                let uuid = payload.notificationUUID?.rawValue, let date = payload.signedDate,
                seen.insert(uuid).inserted
            else { continue }
            sent.append(RecordedHistory.Sent(signedDate: date, token: Array(text.utf8)))
        }
        return sent.sorted { $0.signedDate < $1.signedDate }
    }
}
