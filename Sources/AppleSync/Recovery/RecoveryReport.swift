public import AppStore
public import Intake
public import Ledger

/// The result of a recovery: the missing events and their effect on answers.
public struct RecoveryReport: Sendable {
    /// The requested window, without the part that Apple no longer has; nil: nothing was requested.
    public internal(set) var from: Timestamp?
    public internal(set) var to: Timestamp?
    /// Whether `to` is earlier than requested: the end of an earlier recovery that was resumed.
    var endsEarlier = false
    /// Notifications received from Apple's history, repetitions included.
    public internal(set) var fetchedCount: Int64 = 0
    /// New ones among them, by type in byte order.
    public internal(set) var newByType: [(type: String, count: Int64)] = []
    /// Chains whose state changed; the first `limit` in chain order.
    public internal(set) var chains: [ChangedChain] = []
    public internal(set) var chainsOmitted = 0
    /// Customers about whom answers were wrong; the first `limit` by id.
    public internal(set) var customers: [MisledCustomer] = []
    public internal(set) var customersOmitted = 0
    /// Notifications that Apple could not deliver, the first `OperationsLimits.undeliveredCount`.
    public internal(set) var undelivered: [UndeliveredNotification] = []
    /// Whether there may be more of them.
    var isUndeliveredCut = false
    /// Chains that were alive in the part of the window that Apple no longer has.
    public internal(set) var tooOldCount: Int64 = 0
    /// Refused notifications since the recovery was last started or resumed.
    public internal(set) var refusedCount: Int64 = 0
    /// Those of `fetchedCount` that are not in the ledger.
    var absentCount: Int64 = 0
    public internal(set) var errors: [IngestError] = []
    public let complete: CompleteWindow?
    /// Why not all of the window became certain; nil when it did.
    public internal(set) var reservation: Reservation?
    /// The end of the log.
    public let position: Int64

    /// The report when nothing looks missing and no window was requested.
    public init(complete: CompleteWindow?, position: Int64) {
        self.complete = complete
        self.position = position
    }

    /// Maximum chains and customers listed individually.
    public static let limit = 1_000

    public var completeThrough: Timestamp? { complete?.through }
    /// Notifications that were already in the ledger.
    public var knownCount: Int64 { max(0, fetchedCount - newCount - absentCount) }
    /// Whether something could not be taken in, including before an interruption.
    public var isFlawed: Bool { refusedCount > 0 || reservation == .refused }
    public var newCount: Int64 { newByType.reduce(0) { $0 + $1.count } }

    /// A chain's state without the recovered events and with them.
    public struct ChangedChain: Hashable, Sendable {
        public let chain: ChainId
        /// Nil: the chain was not known.
        public let before: ChainState?
        public let after: ChainState?
    }

    /// For how long answers about an entitlement were wrong, in the window and since.
    public struct MisledCustomer: Hashable, Sendable {
        public let customer: CustomerId
        public let entitlements: [Access]

        public struct Access: Hashable, Sendable {
            public let entitlement: String
            public var deniedMilliseconds: Int64
            public var grantedMilliseconds: Int64
        }
    }

    /// Why a recovery does not confirm completeness.
    public enum Reservation: String, Sendable {
        /// Only part of the window was requested.
        case filtered
        /// Something could not be taken in.
        case refused
        /// Unswept time lies between the certain window and this one.
        case gap
        /// The window begins within `RecoveryRun.settleMilliseconds` of the request, or later.
        case future
        /// Apple delivered version 1 notifications in the window or after it: only what follows the
        /// last of them is certain, once a version 2 notification signed after it is here.
        case versionOne
    }
}

extension RecoveryReport {
    /// The `recover` object of `Contract.md`, with the windows that outage detection proposed, if
    /// it was run.
    public func write(
        to json: inout JSONWriter, suggested: [OutageDetection.Suggestion]? = nil
    ) {
        json.object { json in
            if let suggested { json.array("suggested", suggested) }
            json.member("from", from)
            json.member("to", to)
            json.member("fetched", fetchedCount)
            json.member("known", knownCount)
            json.key("new")
            json.object { json in
                for entry in newByType { json.member(entry.type, entry.count) }
            }
            json.objects("chainsChanged", chains) { json, chain in
                chain.chain.writeMembers(to: &json)
                json.member("before", chain.before?.rawValue)
                json.member("after", chain.after?.rawValue)
            }
            json.member("chainsOmitted", Int64(chainsOmitted))
            json.objects("customers", customers) { json, customer in
                json.member("customer", customer.customer)
                json.objects("entitlements", customer.entitlements) { json, access in
                    json.member("entitlement", access.entitlement)
                    json.member("wronglyDeniedMilliseconds", access.deniedMilliseconds)
                    json.member("wronglyGrantedMilliseconds", access.grantedMilliseconds)
                }
            }
            json.member("customersOmitted", Int64(customersOmitted))
            json.array("undelivered", undelivered.map(\.body))
            json.member("tooOld", tooOldCount)
            json.member("refused", refusedCount)
            json.array("errors", errors)
            complete.writeMembers(to: &json)
            json.member("reservation", reservation?.rawValue)
            json.member("position", position)
        }
    }
}
