internal import AppStore

/// The result of an audit of the log.
public struct LogAuditReport: Sendable {
    /// The head the log was compared with; nil when its row cannot be read.
    public package(set) var head: LogHead?
    /// Events checked.
    public package(set) var eventCount: Int64 = 0
    /// The largest position of a row when the audit began; later rows are not checked.
    public package(set) var lastPosition: Int64 = 0
    /// Events whose evidence was erased: their leaf hashes are part of the tree, their rows and
    /// bytes cannot be checked. One that no erasure names is also a finding
    /// (`LogFinding.Code.evidenceErased`).
    public package(set) var tombstoneCount: Int64 = 0
    /// The first findings, in the order of the log.
    public private(set) var findings: [LogFinding] = []
    /// Findings beyond `findingLimit`.
    public private(set) var findingsOmitted: Int64 = 0

    /// Findings a report holds (`Log.md` §6).
    public static let findingLimit = 1_000

    /// Whether there are no findings. The leaf hashes of tombstones are taken as stored.
    public var isSound: Bool { findings.isEmpty }

    package init() {}

    package mutating func add(_ finding: LogFinding) {
        findings.append(finding, upTo: LogAuditReport.findingLimit, omitted: &findingsOmitted)
    }
}
