public import AppStore

/// The result of an ingest (`Contract.md`, the `ingest` summary).
public struct IngestSummary: Sendable, Equatable, JSONWritable {
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

    /// Reported errors (`Log.md` §6).
    public static let maximumErrors = 1_000

    public struct IngestError: Sendable, Equatable {
        public let input: String
        public let code: String
        public let message: String

        package init(input: String, code: String, message: String) {
            self.input = input
            self.code = code
            self.message = message
        }

        package func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("input", input)
                json.member("code", code)
                json.member("message", message)
            }
        }
    }

    public init() {}

    package mutating func add(_ error: IngestError) {
        if errors.count < IngestSummary.maximumErrors {
            errors.append(error)
        } else {
            errorsOmitted += 1
        }
    }

    /// Evidence that was not appended.
    package var refused: Int64 { rejected + quarantined }

    /// Whether everything read is in the log.
    public var isClean: Bool { refused == 0 }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("read", read)
            json.member("appended", appended)
            json.member("duplicates", duplicates)
            json.member("conflicts", conflicts)
            json.member("rejected", rejected)
            json.member("quarantined", quarantined)
            json.array("errors", errors) { json, error in error.write(to: &json) }
            json.member("errorsOmitted", errorsOmitted)
            json.member("position", position)
            json.member("notKept", notKept)
        }
    }
}
