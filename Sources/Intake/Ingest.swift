public import AppStore
import Foundation
public import Ledger
public import LedgerStore
public import Signing

/// Ingests files: verifies on all cores, appends in input order. A rejected line does not stop the
/// rest.
public struct Ingest: Sendable {
    private let log: any LedgerLog
    private let quarantine: any OperationalState
    private let preparation: EventPreparation
    /// Whether refused evidence goes into quarantine; false for retries from there.
    private let keepsRefused: Bool
    /// Nil: no responder is queried.
    private let revocation: RevocationChecks?
    private let clock: @Sendable () -> Timestamp

    /// Progress for display.
    public struct Progress: Sendable {
        public let read: Int64
        public let position: Int64
    }

    /// Why reading stopped; events appended before remain.
    public enum Failure: Error, Sendable {
        case input(path: String, reason: String)
        case store(StoreError)
    }

    /// Lines verified as one unit of work.
    static let linesPerBatch = 128
    static let bytesPerBatch = 4 * 1024 * 1024

    /// Signed evidence that names no environment is taken only if the operator named the ledger's
    /// (`environmentMissing`). Files have no `revocation`: their evidence may be older than any
    /// responder's answer. Of `otherApps` only the shared secrets are known, to keep none of them.
    public init(
        log: any LedgerLog, quarantine: any OperationalState, environment: Environment,
        apps: [Configuration.App], otherApps: [Configuration.App] = [],
        verifier: EvidenceVerifier, source: EventSource = .import,
        isEnvironmentNamed: Bool = true, keepsRefused: Bool = true,
        revocation: RevocationChecks? = nil, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.log = log
        self.quarantine = quarantine
        self.keepsRefused = keepsRefused
        self.revocation = revocation
        preparation = EventPreparation(
            verifier: verifier, packer: log.packer, apps: apps,
            environment: environment, source: source,
            secrets: SharedSecrets(apps + otherApps), isEnvironmentNamed: isEnvironmentNamed)
        self.clock = clock
    }

    /// Ingests files in order; `-` is standard input.
    public func run(
        paths: [String], report: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws(Failure) -> IngestSummary {
        var summary = IngestSummary()
        try await run(paths: paths, into: &summary, report: report)
        return summary
    }

    /// As above; when it throws, `summary` holds the counts until then, and the last position that
    /// is known.
    public func run(
        paths: [String], into summary: inout IngestSummary,
        report: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws(Failure) {
        summary.position = try await end()
        for path in paths {
            try await run(path, into: &summary, report: report)
        }
        summary.position = try await end()
    }

    private func end() async throws(Failure) -> Int64 {
        do throws(StoreError) { return try await log.head().position } catch {
            throw .store(error)
        }
    }

    /// Ingests lines already in memory, under the name `input`.
    public func run(
        lines: [[UInt8]], input: String
    ) async throws(StoreError) -> IngestSummary {
        let bound = byteBound
        return try await run(
            lines.enumerated().map { index, line in
                InputChunk(
                    bytes: line, line: index + 1, isTooLong: line.count > bound,
                    name: "\(input):\(index + 1)")
            })
    }

    /// Ingests chunks in memory, each under its own name.
    package func run(_ pieces: [InputChunk]) async throws(StoreError) -> IngestSummary {
        var summary = IngestSummary()
        let prepared = await Parallel.map(pieces, atLeast: 2) { prepare([$0], path: "") }
        try await append(prepared.flatMap { $0 }, into: &summary)
        summary.position = try await log.head().position
        return summary
    }

    /// Quarantined items were within the bound when they arrived.
    private var byteBound: Int {
        keepsRefused ? InputLine.maximumByteCount : InputLine.maximumKeptByteCount
    }

    // MARK: Pipeline

    /// Keeps every core verifying while earlier batches are appended, in order.
    private func run(
        _ path: String, into summary: inout IngestSummary,
        report: @escaping @Sendable (Progress) -> Void
    ) async throws(Failure) {
        let width = 2 * ProcessInfo.processInfo.activeProcessorCount
        var total = summary
        let failure = await withTaskGroup(of: (Int, [PreparedInput]).self) {
            group -> Failure? in
            var ready: [Int: [PreparedInput]] = [:]
            var (started, appended, isAtEnd) = (0, 0, false)
            var unread: Failure?
            do throws(Failure) {
                let reader = try Ingest.open(path)
                while true {
                    while !isAtEnd, started - appended < width {
                        var chunks: [InputChunk] = []
                        do throws(Failure) { chunks = try await Ingest.next(reader) } catch {
                            // What was read before it is appended first.
                            unread = error
                        }
                        isAtEnd = chunks.isEmpty
                        if isAtEnd { break }
                        let index = started
                        group.addTask { (index, prepare(chunks, path: path)) }
                        started += 1
                    }
                    guard let done = await group.next() else { break }
                    ready[done.0] = done.1
                    while let batch = ready.removeValue(forKey: appended) {
                        try await store(batch, into: &total)
                        appended += 1
                        report(Progress(read: total.read, position: total.position))
                    }
                }
                return unread
            } catch {
                group.cancelAll()
                return error
            }
        }
        summary = total
        if let failure { throw failure }
    }

    private static func open(_ path: String) throws(Failure) -> LineReader {
        do throws(LineReader.Failure) { return try LineReader(path: path) } catch {
            throw .input(path: error.path, reason: error.reason)
        }
    }

    private static func next(_ reader: LineReader) async throws(Failure) -> [InputChunk] {
        do throws(LineReader.Failure) {
            return try await reader.next(limit: linesPerBatch, byteLimit: bytesPerBatch)
        } catch {
            throw .input(path: error.path, reason: error.reason)
        }
    }

    private func store(
        _ batch: [PreparedInput], into summary: inout IngestSummary
    ) async throws(Failure) {
        do throws(StoreError) { try await append(batch, into: &summary) } catch {
            throw .store(error)
        }
    }

    // MARK: One batch

    private enum PreparedInput: Sendable {
        /// With the submission itself where it may still be refused.
        case submission(PreparedSubmission, Submission?)
        case unreadable(IngestError, bytes: [UInt8])
    }

    private func prepare(_ chunks: [InputChunk], path: String) -> [PreparedInput] {
        let now = clock()
        var prepared: [PreparedInput] = []
        prepared.reserveCapacity(chunks.count)
        for chunk in chunks {
            let input = chunk.name ?? "\(path):\(chunk.line)"
            do throws(IngestError) {
                guard !chunk.isTooLong else { throw InputLine.tooLong(input) }
                for submission in try InputLine.submissions(
                    chunk.bytes, input: input, upTo: byteBound)
                {
                    prepared.append(
                        .submission(
                            preparation.prepare(submission, now: now),
                            revocation == nil ? nil : submission))
                }
            } catch {
                prepared.append(.unreadable(error, bytes: chunk.bytes))
            }
        }
        return prepared
    }

    private func append(
        _ batch: [PreparedInput], into summary: inout IngestSummary
    ) async throws(StoreError) {
        var events: [NewEvent] = []
        var refused: [(error: IngestError, item: NewQuarantineItem)] = []
        for input in batch {
            summary.read += 1
            switch input {
            case .submission(let prepared, let submission):
                switch await admitted(prepared, submission) {
                case .event(let event, _): events.append(event)
                case .refused(let refusal):
                    switch refusal.standing {
                    case .rejected: summary.rejected += 1
                    case .quarantined: summary.quarantined += 1
                    }
                    refused.append((IngestError(refusal), NewQuarantineItem(refusal)))
                }
            case .unreadable(let error, let bytes):
                summary.rejected += 1
                guard error.isKept else {
                    summary.add(error)
                    continue
                }
                let item = NewQuarantineItem(
                    unreadable: error, bytes: bytes, receivedAt: clock())
                refused.append((error, item))
            }
        }
        try await keep(refused, into: &summary)
        for piece in EventBatches(events) {
            let results = try await log.append(Array(piece))
            for (event, result) in zip(piece, results) {
                summary.position = max(summary.position, result.position)
                if let date = event.attributes.signedAt {
                    summary.newestSignedAt = max(summary.newestSignedAt ?? date, date)
                }
                switch result {
                case .appended: summary.appended += 1
                case .duplicate: summary.duplicates += 1
                case .conflict: summary.conflicts += 1
                }
            }
        }
    }

    /// The prepared event, or a refusal where revocation checks do not admit its certificate
    /// chains.
    private func admitted(
        _ prepared: PreparedSubmission, _ submission: Submission?
    ) async -> PreparedSubmission {
        guard let revocation, let submission, case .event(let event, let chains) = prepared,
            let refusal = await revocation.refusal(
                of: event, under: chains, submission, log, preparation.environment)
        else { return prepared }
        return .refused(refusal)
    }

    /// Puts refused evidence into quarantine. Where there is no room, the error says to ingest it
    /// again.
    private func keep(
        _ refused: [(error: IngestError, item: NewQuarantineItem)],
        into summary: inout IngestSummary
    ) async throws(StoreError) {
        guard keepsRefused else {
            for entry in refused { summary.add(entry.error) }
            return
        }
        guard !refused.isEmpty else { return }
        let results = try await quarantine.quarantine(
            refused.map { $0.item.withheld(by: preparation.secrets) })
        for (entry, result) in zip(refused, results) {
            guard result == .refused else {
                summary.add(entry.error)
                continue
            }
            summary.notKept += 1
            summary.add(
                IngestError(
                    input: entry.error.input, code: entry.error.code,
                    message: entry.error.message
                        + " No copy was kept: quarantine is full for apps that are not configured"
                        + " or have no shared secret; configure them, then ingest this again."
                ))
        }
    }
}

extension IngestError {
    init(_ refusal: Refusal) {
        self.init(
            input: refusal.submission.input, code: refusal.code, message: refusal.message)
    }
}
