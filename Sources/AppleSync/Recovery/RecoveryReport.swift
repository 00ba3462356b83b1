public import AppStore
public import Intake
public import Ledger

/// What a recovery came to: what was missing, and what that had done to answers.
public struct RecoveryReport: Sendable {
    /// The window that was asked for, after what Apple has no longer was cut off.
    public let from: Timestamp
    public let to: Timestamp
    /// Notifications that Apple's history told of it, as often as it told them.
    public let fetchedCount: Int64
    /// Those of them that are new here, by type in byte order.
    public let newByType: [(type: String, count: Int64)]
    /// Chains whose state now is another than it seemed; the first `limit` in chain order.
    public let chains: [ChangedChain]
    public let chainsOmitted: Int
    /// Customers whom answers had told another thing; the first `limit` by id.
    public let customers: [MisledCustomer]
    public let customersOmitted: Int
    /// What Apple could not deliver, the first `OperationsStore.undeliveredCount`.
    public let undelivered: [UndeliveredNotification]
    /// Chains that were alive in the part of the window that Apple has no longer.
    public let tooOldCount: Int64
    /// Those of them that could not be taken in, since the recovery was last begun or resumed.
    public let refusedCount: Int64
    /// Those of `fetchedCount` that are not here after all.
    let absentCount: Int64
    public let errors: [IngestSummary.IngestError]
    public let complete: CompleteWindow?
    /// Why `completeThrough` was not moved to the end of the window; nil when it was.
    public let reservation: Reservation?
    /// The end of the log.
    public let position: Int64

    /// Chains and customers told one by one.
    public static let limit = 1_000

    public var completeThrough: Timestamp? { complete?.through }
    /// Notifications that were here before.
    public var knownCount: Int64 { max(0, fetchedCount - newCount - absentCount) }
    /// Whether something could not be taken in, before an interruption, too.
    public var isFlawed: Bool { refusedCount > 0 || reservation == .refused }
    public var newCount: Int64 { newByType.reduce(0) { $0 + $1.count } }

    /// A chain's state at the end of the recovery, as it seemed before it and as it is.
    public struct ChangedChain: Hashable, Sendable {
        public let chain: ChainId
        /// Nil: the chain was not known.
        public let before: ChainState?
        public let after: ChainState?
    }

    /// How long, inside the window and since, answers about an entitlement were wrong.
    public struct MisledCustomer: Hashable, Sendable {
        public let customer: CustomerId
        public let entitlements: [Access]

        public struct Access: Hashable, Sendable {
            public let entitlement: String
            public var deniedMilliseconds: Int64
            public var grantedMilliseconds: Int64
        }
    }

    /// Why a recovery does not say that everything is here.
    public enum Reservation: String, Sendable {
        /// Only some of the window was asked for.
        case filtered
        /// Something could not be taken in.
        case refused
        /// Between what is certain and this window lies time that nobody looked into.
        case gap
        /// Nothing of the window has passed.
        case future
    }
}

extension RecoveryReport {
    /// The `recover` object of `contract.md`.
    ///
    /// - Parameter suggested: the windows that outage detection proposed; nil: it was not asked.
    public func write(
        to json: inout JSONWriter, suggested: [OutageDetection.Suggestion]? = nil
    ) {
        json.object { json in
            if let suggested {
                json.array("suggested", suggested) { json, window in window.write(to: &json) }
            }
            json.member("from", from)
            json.member("to", to)
            json.member("fetched", fetchedCount)
            json.member("known", knownCount)
            json.key("new")
            json.object { json in
                for entry in newByType { json.member(entry.type, entry.count) }
            }
            json.array("chainsChanged", chains) { json, chain in
                json.object { json in
                    json.member("bundleId", chain.chain.bundleId)
                    json.member("originalTransactionId", chain.chain.originalTransactionId)
                    json.member("before", chain.before?.rawValue)
                    json.member("after", chain.after?.rawValue)
                }
            }
            json.member("chainsOmitted", Int64(chainsOmitted))
            json.array("customers", customers) { json, customer in
                json.object { json in
                    json.member("customer", customer.customer)
                    json.array("entitlements", customer.entitlements) { json, access in
                        json.object { json in
                            json.member("entitlement", access.entitlement)
                            json.member("wronglyDeniedMilliseconds", access.deniedMilliseconds)
                            json.member("wronglyGrantedMilliseconds", access.grantedMilliseconds)
                        }
                    }
                }
            }
            json.member("customersOmitted", Int64(customersOmitted))
            json.array("undelivered", undelivered.map(\.body))
            json.member("tooOld", tooOldCount)
            json.member("refused", refusedCount)
            json.array("errors", errors) { json, error in error.write(to: &json) }
            complete.writeMembers(to: &json)
            json.member("reservation", reservation?.rawValue)
            json.member("position", position)
        }
    }
}
