public import AppStore
public import Ledger
public import LedgerStore
internal import Projection

/// Whether intake of one environment is healthy, and what may be missing.
public struct IntakeStatus: Sendable, JSONObjectWritable {
    public let environment: Environment
    /// The service's time.
    public let at: Timestamp
    /// Codes of the reasons why events cannot be accepted; empty when they can be.
    public let problems: [String]
    /// The end of the log, as known in this process.
    public let head: Int64
    /// The last position that answers include; nil before the first state.
    public let projectedPosition: Int64?
    /// How far answers are behind the log.
    public let lagPositions: Int64
    public let lagMilliseconds: Int64
    /// By how much the system clock jumped ahead; nil while it is trusted.
    public let clockJumpMilliseconds: Int64?
    /// In the order of the configuration.
    public let apps: [App]
    /// Deliveries to this process that named this environment, and those that named none.
    public let intake: IntakeCounts
    public let unassigned: IntakeCounts
    /// Every standing, in the order of their codes; empty while it could not be read yet.
    public let quarantine: [QuarantineTotal]
    public let files: FileSizes

    /// What is known of one app.
    public struct App: Sendable {
        public let bundleId: BundleId
        /// When Apple last delivered a notification; nil if there was none among the newest events
        /// read (`AppArrivals`).
        public let lastNotificationAt: Timestamp?
        /// The newest event of any kind, and its position.
        public let lastEventAt: Timestamp?
        public let lastEventPosition: Int64?
        /// Nil: not confirmed.
        public let complete: CompleteWindow?
        /// Nil while nothing was checked yet.
        public let outages: OutageRecord.Check?
    }

    /// Bytes on this machine's disk.
    public struct FileSizes: Sendable, Equatable {
        /// The log's file and write-ahead log; 0 where the log is in a database.
        public var logByteCount: Int64 = 0
        public var operationsByteCount: Int64 = 0
        /// Facts and projections.
        public var derivedByteCount: Int64 = 0
        /// Free for users other than root; nil when unknown.
        public var freeByteCount: Int64?
    }

    /// How many of the newest events the first status searches.
    package static let searchedEventCount = AppArrivals.eventCount

    public var isReady: Bool { problems.isEmpty }
    /// False where the database was away since the start, so that what it holds is not known.
    package var isKnown: Bool { !quarantine.isEmpty }
    public var isClockTrusted: Bool { clockJumpMilliseconds == nil }

    /// The object of `GET /v1/status`.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("environment", EnvironmentLedger.directoryName(environment))
        if json.isStamped { json.member("at", at) }
        json.member("ready", isReady)
        json.array("problems", problems)
        json.member("position", head)
        json.member("projectedPosition", projectedPosition)
        json.member("lag", lagPositions)
        json.member("lagMilliseconds", lagMilliseconds)
        json.member("clockTrusted", isClockTrusted)
        json.member("clockAheadMilliseconds", clockJumpMilliseconds ?? 0)
        json.array("apps", apps)
        json.member("since", intake.since)
        json.array("intake", intake.outcomes)
        json.array("unassigned", unassigned.outcomes)
        json.objects("quarantine", quarantine) { $1.writeMembers(to: &$0) }
        json.object("files") { json in
            json.member("logBytes", files.logByteCount)
            json.member("operationsBytes", files.operationsByteCount)
            json.member("derivedBytes", files.derivedByteCount)
            json.member("freeBytes", files.freeByteCount)
        }
    }
}

extension IntakeStatus.App: JSONObjectWritable {
    public func writeMembers(to json: inout JSONWriter) {
        json.member("bundleId", bundleId)
        json.member("lastNotificationAt", lastNotificationAt)
        json.member("lastEventAt", lastEventAt)
        json.member("lastEventPosition", lastEventPosition)
        complete.writeMembers(to: &json)
        json.member("outagesCheckedAt", outages?.at)
        json.array("suspectedOutages", outages?.windows ?? []) { $1.write(to: &$0) }
    }
}

extension IntakeCounts.Outcome: JSONObjectWritable {
    public func writeMembers(to json: inout JSONWriter) {
        json.member("outcome", outcome)
        json.member("count", count)
    }
}

extension QuarantineTotal {
    func writeMembers(to json: inout JSONWriter) {
        json.member("standing", standing.rawValue)
        json.member("items", itemCount)
        json.member("bytes", byteCount)
    }
}
