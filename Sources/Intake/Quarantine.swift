public import AppStore
public import LedgerStore
public import Signing

/// Quarantined evidence: listing and retry.
public struct Quarantine: Sendable {
    let log: any LedgerLog
    let store: any OperationalState
    let environment: Environment
    let otherApps: [Configuration.App]

    public init(
        log: any LedgerLog, store: any OperationalState, environment: Environment,
        otherApps: [Configuration.App] = []
    ) {
        self.log = log
        self.store = store
        self.environment = environment
        self.otherApps = otherApps
    }

    /// Every item, oldest first, without bytes.
    public func items() async throws(StoreError) -> [QuarantineItem] {
        var items: [QuarantineItem] = []
        while true {
            let page = try await store.quarantined(
                after: items.last?.id ?? 0, limit: QuarantineLimits.pageCount)
            guard !page.isEmpty else { return items }
            items += page
        }
    }

    /// Ingests every item again under the current configuration. Accepted items and duplicates
    /// leave the quarantine; the rest is unchanged. The `receivedAt` of an event is the time of its
    /// first delivery, or the newest one in the log, if that is later.
    ///
    /// Throws `closed` when the task is cancelled; what was done until then remains done.
    public func retry(
        apps: [Configuration.App], verifier: EvidenceVerifier, isEnvironmentNamed: Bool = true,
        revocation: RevocationChecks? = nil
    ) async throws(StoreError) -> IngestSummary {
        var total = IngestSummary()
        for item in try await items() {
            try StoreError.requireNotCancelled()
            guard let whole = try await store.quarantineItem(item.id) else { continue }
            guard whole.isWhole else {
                total.read += 1
                total.rejected += 1
                continue
            }
            let receivedAt = whole.receivedAt
            let ingest = Ingest(
                log: log, quarantine: store, environment: environment, apps: apps,
                otherApps: otherApps, verifier: verifier, isEnvironmentNamed: isEnvironmentNamed,
                keepsRefused: false, revocation: revocation
            ) { receivedAt }
            // The input does not identify the item: it is the same for every delivery.
            let summary = try await ingest.run([
                InputChunk(
                    bytes: whole.bytes, line: 1, isTooLong: false, name: "quarantine \(item.id)")
            ])
            total.add(summary)
            guard summary.read > 0, summary.isClean else { continue }
            _ = try await store.removeFromQuarantine(item.id)
        }
        total.position = try await log.head().position
        return total
    }
}

extension IngestSummary {
    /// Adds another run's counts and errors, and takes the later end of the log.
    package mutating func add(_ other: IngestSummary) {
        read += other.read
        appended += other.appended
        duplicates += other.duplicates
        conflicts += other.conflicts
        rejected += other.rejected
        quarantined += other.quarantined
        notKept += other.notKept
        position = max(position, other.position)
        newestSignedAt = [newestSignedAt, other.newestSignedAt].compactMap { $0 }.max()
        for error in other.errors { add(error) }
        errorsOmitted += other.errorsOmitted
    }
}

extension QuarantineItem {
    /// Whether the stored copy is complete; a partial copy cannot be retried.
    var isWhole: Bool {
        Int64(bytes.count) == byteCount && !bytes.isEmpty
            && code != VerificationCode.payloadTooLarge.rawValue
    }

    /// A one-line summary, with the times under their names of the JSON.
    public var text: String {
        let app = bundleId.map { " \($0)" } ?? ""
        let times = attempts > 1 ? ", \(attempts) times, latest \(latestAt.rfc3339)" : ""
        return "\(id)  received \(receivedAt.rfc3339)  \(code)\(app)  \(input)"
            + " (\(byteCount.named("byte", "bytes"))\(times)): \(message)"
    }

    /// The object of a list or, with the bytes as text (`content`) and unchanged (`base64`), of one
    /// item.
    public func write(to json: inout JSONWriter, withBytes: Bool) {
        json.object { json in
            writeMembers(to: &json)
            guard withBytes else { return }
            json.member("content", String(decoding: bytes, as: UTF8.self))
            json.member(
                "base64", String(decoding: Base64.standard.encode(bytes), as: UTF8.self))
        }
    }

    /// The members of a list's object.
    private func writeMembers(to json: inout JSONWriter) {
        json.member("id", id)
        json.member("receivedAt", receivedAt)
        json.member("latestAt", latestAt)
        json.member("attempts", attempts)
        json.member("standing", standing.rawValue)
        json.member("code", code)
        json.member("part", part)
        json.member("message", message)
        json.member("bundleId", bundleId)
        json.member("environment", environment)
        json.member("input", input)
        json.member("byteCount", byteCount)
    }
}
