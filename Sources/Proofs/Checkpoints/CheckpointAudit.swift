public import AppStore
public import LedgerStore

/// Compares a log with checkpoints of it: those that were kept, and those that others kept.
public struct CheckpointAudit: Sendable {
    let log: any LedgerLog
    /// New for each comparison: nodes cached before the log was changed would hide the change.
    let prover: TreeProver
    /// Nil: none was kept.
    let operations: (any OperationalState)?
    /// The key whose checkpoints count; nil: any, and no signature is checked.
    let key: NoteVerifierKey?
    /// Keys whose signatures must verify where a checkpoint has them; those of others are ignored.
    let witnesses: [NoteVerifierKey]

    /// Checkpoints read at once.
    private static let pageCount = 1_000

    public struct Finding: Sendable, Hashable {
        public enum Code: String, Sendable {
            /// The log is shorter than it was when it was signed.
            case logCut
            /// Other events are at positions that were signed.
            case logRewritten
            /// The log's own leaves do not give its root, or it cannot be read.
            case logDamaged
            /// The checkpoint itself is not valid.
            case checkpointInvalid
        }

        public let code: Code
        /// The size of the checkpoint.
        public let size: Int64
        /// The earliest position that may differ; positions before it are as they were signed.
        public let firstPosition: Int64
        /// The last position of the log, of `logCut` alone.
        public var logEnd: Int64?
    }

    public struct Report: Sendable {
        public var checkpointCount = 0
        /// Of these, the ones that the key signed. Of those by other keys of its origin, the root
        /// alone is compared; invalid ones are findings. Nil without a key.
        public var signedCount: Int?
        public var findings: [Finding] = []

        public var isSound: Bool { findings.isEmpty }
    }

    public init(
        _ log: any LedgerLog, operations: (any OperationalState)?, key: NoteVerifierKey?,
        witnesses: [NoteVerifierKey]
    ) {
        self.log = log
        prover = TreeProver(log)
        self.operations = operations
        self.key = key
        self.witnesses = witnesses
    }

    /// Compares every checkpoint kept, and `other`; nil where there is none.
    public func run(against other: SignedNote? = nil) async throws(StoreError) -> Report? {
        let newest = try await operations?.checkpoints(before: .max, limit: 1).first?.size
        guard other != nil || newest != nil else { return nil }
        let named = other.flatMap { try? LogCheckpoint($0) }?.size ?? 0
        var report = Report()
        if key != nil { report.signedCount = 0 }
        guard let head = try await soundHead() else {
            report.findings = [
                Finding(code: .logDamaged, size: max(newest ?? 0, named), firstPosition: 1)
            ]
            return report
        }
        var (size, confirmed): (Int64, Int64) = (-1, 0)
        while true {
            try StoreError.requireNotCancelled()
            let page = try await operations?.checkpoints(
                after: size, limit: CheckpointAudit.pageCount)
            guard let page, let last = page.last else { break }
            size = last.size
            for stored in page {
                let note = try? SignedNote(stored.note)
                try await compare(
                    note, stored.size, head, mustBeSigned: false, &confirmed, &report)
            }
        }
        guard let other else { return report }
        // Starts at the newest earlier checkpoint that the log extends.
        let bad = Set(report.findings.map(\.size))
        let earlier = try await operations?.checkpoints(
            before: named, limit: CheckpointAudit.pageCount)
        var start = earlier?.first { !bad.contains($0.size) }?.size ?? 0
        try await compare(other, named, head, mustBeSigned: true, &start, &report)
        return report
    }

    /// The head position; nil for a damaged log.
    private func soundHead() async throws(StoreError) -> Int64? {
        do throws(StoreError) {
            let head = try await log.head().position
            return try await prover.root(of: head) == nil ? nil : head
        } catch {
            guard error.isAudited else { throw error }
            return nil
        }
    }

    private func compare(
        _ note: SignedNote?, _ size: Int64, _ head: Int64, mustBeSigned: Bool,
        _ confirmed: inout Int64, _ report: inout Report
    ) async throws(StoreError) {
        report.checkpointCount += 1
        // One that was kept may be of an earlier key of the same origin.
        let signature = key.map { CheckpointSignature(of: note, by: $0) }
        if signature == .valid { report.signedCount? += 1 }
        func addFinding(_ code: Finding.Code, logEnd: Int64? = nil) {
            report.findings.append(
                Finding(code: code, size: size, firstPosition: confirmed + 1, logEnd: logEnd))
        }
        guard let note, let checkpoint = try? LogCheckpoint(note), checkpoint.size == size,
            signature != .invalid, signature != .otherKey || !mustBeSigned,
            witnesses.allSatisfy({ note.isValidWhereSigned(by: $0) })
        else { return addFinding(.checkpointInvalid) }
        var end = head
        // A running service may have signed it since.
        if size > end { end = try await log.head().position }
        guard size <= end else { return addFinding(.logCut, logEnd: end) }
        guard try await prover.root(of: size) == checkpoint.root else {
            return addFinding(.logRewritten)
        }
        confirmed = size
    }
}

extension CheckpointAudit.Report? {
    /// The member `checkpoints` of `audit verify` (`Contract.md`).
    public func writeMember(to json: inout JSONWriter) {
        json.object("checkpoints", self) { json, found in
            json.member("compared", Int64(found.checkpointCount))
            json.member("signed", found.signedCount.map { Int64($0) })
            json.objects("findings", found.findings) { json, finding in
                json.member("code", finding.code.rawValue)
                json.member("size", finding.size)
                json.member("firstPosition", finding.firstPosition)
                json.member("logEnd", finding.logEnd)
            }
        }
    }
}

extension CheckpointAudit.Finding {
    /// What is wrong, for people.
    public var text: String {
        let what =
            switch code {
            case .logCut: "the log ends before it\(logEnd.map { ", at position \($0)" } ?? "")"
            case .logRewritten: "the log has other events than those signed"
            case .logDamaged: "the log is damaged and cannot be compared"
            case .checkpointInvalid:
                "it is damaged, not signed by the key, or has an invalid signature of a witness"
            }
        return "checkpoint of \(size.named("event", "events")): \(what); positions from"
            + " \(firstPosition) may differ"
    }
}
