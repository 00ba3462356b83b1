public import AppStore

/// The result of an ingest (`Contract.md`, the `ingest` summary).
public struct IngestSummary: Sendable, Equatable, JSONObjectWritable {
    /// Pieces of evidence, not lines.
    public var read: Int64 = 0
    public var appended: Int64 = 0
    public var duplicates: Int64 = 0
    /// Appended as well, but not counted in `appended`.
    public var conflicts: Int64 = 0
    /// Verification failed.
    public var rejected: Int64 = 0
    /// Verified, but not acceptable now.
    public var quarantined: Int64 = 0
    /// Quarantined items for which there was no room; they must be ingested again.
    public var notKept: Int64 = 0
    /// The first `maximumErrors`, in input order.
    public var errors: [IngestError] = []
    public var errorsOmitted: Int64 = 0
    /// The end of the log afterwards.
    public var position: Int64 = 0
    /// The newest date at which evidence that is in the log now was signed; nil without any.
    package var newestSignedAt: Timestamp?

    /// Reported errors (`Log.md` §6).
    public static let maximumErrors = 1_000

    public init() {}

    package mutating func add(_ error: IngestError) {
        errors.append(error, upTo: IngestSummary.maximumErrors, omitted: &errorsOmitted)
    }

    /// Evidence that was not appended.
    package var refused: Int64 { rejected + quarantined }

    /// Whether everything read is in the log.
    public var isClean: Bool { refused == 0 }

    public func writeMembers(to json: inout JSONWriter) {
        json.member("read", read)
        json.member("appended", appended)
        json.member("duplicates", duplicates)
        json.member("conflicts", conflicts)
        json.member("rejected", rejected)
        json.member("quarantined", quarantined)
        json.array("errors", errors)
        json.member("errorsOmitted", errorsOmitted)
        json.member("position", position)
        json.member("notKept", notKept)
    }
}

/// Evidence that was refused, or a line in a form that `ingest` does not accept.
public struct IngestError: Error, Equatable, JSONObjectWritable {
    public let input: String
    public let code: String
    public let message: String
    /// Whether quarantine keeps it: a later version may understand it.
    var isKept = true

    package init(input: String, code: String, message: String, isKept: Bool = true) {
        self.input = input
        self.code = code
        self.message = message
        self.isKept = isKept
    }

    public func writeMembers(to json: inout JSONWriter) {
        json.member("input", input)
        json.member("code", code)
        json.member("message", message)
    }
}
