public import AppStore
import Ledger
internal import LedgerStore
public import Projection
internal import SQLiteStore
import Signing

/// Exports everything in a stable order: events by position, the rest by chain, then time
/// (`Contract.md`, `export`).
public struct Export: Sendable {
    public enum Subject: String, Sendable, CaseIterable {
        case subscriptions
        case transitions
        case facts
        case events
    }

    public enum Format: String, Sendable, CaseIterable {
        case ndjson
        case csv
        /// Raw text, for machines: a spreadsheet may execute it as formulas.
        case rawCSV = "csv-raw"
    }

    public typealias Output = (_ bytes: [UInt8]) throws -> Void

    let snapshot: LedgerSnapshot
    let moment: Moment
    public var bundleId: BundleId?
    /// For events: those after the position. Otherwise: chains that changed after it.
    public var after: Int64 = 0
    /// Adds `signedPayload` to events.
    public var withEvidence = false

    public init(snapshot: LedgerSnapshot, moment: Moment) {
        self.snapshot = snapshot
        self.moment = moment
    }

    /// Writes every line to `output`; rethrows its errors.
    public func run(
        _ subject: Subject, format: Format, output: Output
    ) async throws {
        var lines = ExportLines(subject: subject, format: format, withEvidence: withEvidence)
        if let header = lines.header { try output(header) }
        if subject == .events {
            try await events(&lines, output)
        } else {
            try await chains(subject, &lines, output)
        }
    }

    // MARK: Chains

    private func chains(
        _ subject: Subject, _ lines: inout ExportLines, _ output: Output
    ) async throws {
        var shared: [SharedTransaction] = []
        if subject == .subscriptions {
            let all = try await snapshot.projections.sharedTransactions(
                through: moment.knowledge.position(head: snapshot.position))
            shared = try await snapshot.admitted(all, moment.knowledge)
        }
        let sharedChains = Set(shared.map(\.chain))
        var cursor: ChainId?
        while true {
            let page = try await snapshot.facts.page(after: cursor)
            guard let last = page.last else { return }
            cursor = last.0
            let (moment, ledger, head) = (moment, snapshot.ledger, snapshot.position)
            let wanted = page.filter { isWanted($0) }
            let allShared = shared
            let readings = await Parallel.map(wanted) { entry in
                ChainReading(
                    chain: entry.0, facts: entry.1,
                    shared: sharedChains.contains(entry.0) ? allShared : [], moment: moment,
                    head: head, ledger: ledger)
            }
            for reading in readings {
                guard let reading else { continue }
                write(reading, subject, &lines)
            }
            try output(lines.take())
        }
    }

    private func isWanted(_ entry: (ChainId, [Fact])) -> Bool {
        if let bundleId, entry.0.bundleId != bundleId { return false }
        return after <= 0 || entry.1.contains { $0.position > after }
    }

    private func write(
        _ reading: ChainReading, _ subject: Subject, _ lines: inout ExportLines
    ) {
        switch subject {
        case .subscriptions: lines.add { reading.write(to: &$0) }
        case .transitions:
            for transition in reading.transitions {
                lines.add { reading.write(transition, to: &$0) }
            }
        case .facts:
            for fact in reading.timelineEvents { lines.add { reading.write(fact, to: &$0) } }
        case .events: break
        }
    }

    // MARK: Events

    private func events(_ lines: inout ExportLines, _ output: Output) async throws {
        let through = moment.knowledge.position(head: snapshot.position)
        var position = after
        while true {
            let page = try await page(after: position, through: through)
            guard let last = page.last else { return }
            position = last.event.position
            for (event, evidence) in page where isWanted(event) {
                lines.add { event.write(to: &$0, evidence: evidence, snapshot.ledger.environment) }
            }
            try output(lines.take())
        }
    }

    private func page(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> [(event: RecordedEvent, evidence: [UInt8]?)] {
        guard withEvidence else {
            return try await snapshot.ledger.log.events(after: position, through: through)
                .map { ($0, nil) }
        }
        var page: [(event: RecordedEvent, evidence: [UInt8]?)] = []
        for logged in try await snapshot.ledger.log.page(after: position, through: through) {
            page.append((logged.event, try logged.originalBytes()))
        }
        return page
    }

    private func isWanted(_ event: RecordedEvent) -> Bool {
        if let bundleId, event.attributes.bundleId != bundleId { return false }
        guard let knownAt = moment.knowledge.knownAt else { return true }
        return event.receivedAt <= knownAt
    }
}

extension RecordedEvent {
    /// A line of `export events`.
    func write(to json: inout JSONWriter, evidence: [UInt8]?, _ environment: Environment) {
        json.object { json in
            json.member("position", position)
            json.member("key", key)
            json.member("kind", attributes.kind.rawValue)
            json.member("source", attributes.source.rawValue)
            json.member("trust", attributes.trust.rawValue)
            json.member("conflict", isConflict)
            json.member("receivedAtClaimed", receivedAtClaimed)
            json.member("rootFingerprint", attributes.rootFingerprint)
            json.member("environment", environment.rawValue)
            json.member("bundleId", attributes.bundleId)
            json.member("originalTransactionId", attributes.chain)
            json.member("notificationType", attributes.notificationType)
            json.member("subtype", attributes.subtype)
            json.member("notificationUUID", attributes.notificationUUID)
            json.member("signedDate", attributes.signedAt)
            json.member("receivedAt", receivedAt)
            json.member("leafHash", leafHash)
            guard let evidence else { return }
            // A receipt is binary.
            let text = attributes.kind == .receipt ? Base64.standard.encode(evidence) : evidence
            json.member("signedPayload", String(decoding: text, as: UTF8.self))
        }
    }
}
