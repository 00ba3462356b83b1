public import AppStore

/// Apple's data about simulated lives: every snapshot with its date, so that it can be read as of
/// any time.
public struct ServedRecords: Sendable {
    /// One notification with its nested parts.
    package struct Sent: Sendable {
        package let signedDate: Timestamp
        let chain: String
        let notification: NotificationPayload
        let transaction: TransactionPayload?
        let renewal: RenewalPayload?
    }

    struct Chain: Sendable {
        let originalTransactionId: String
        /// Snapshots with changes, by transactionId, oldest first.
        var snapshots: [String: [TransactionPayload]] = [:]
        /// Oldest first.
        var renewals: [RenewalPayload] = []
        var truth: [TrueInterval] = []
    }

    /// In order of signing.
    package private(set) var sent: [Sent] = []
    private(set) var chains: [String: Chain] = [:]
    /// Maps any transactionId or appTransactionId to its chain.
    private(set) var chainOf: [String: String] = [:]
    public let bundleId: BundleId
    let appAppleId: Int64
    let environment: Environment

    /// Apple's data about all lives of a plan.
    public init(_ plan: HistoryPlan) {
        bundleId = plan.world.bundleId
        appAppleId = plan.world.appAppleId
        environment = plan.environment
        var stream = HistoryStream(plan)
        while case let page = stream.next(), !page.isEmpty {
            for entry in page { take(entry.delivery, truth: entry.truth?.intervals) }
        }
        sortStatements()
    }

    /// Apple's data about these lives, all in one environment.
    public init(_ lives: [SubscriberLife], of world: SubscriberWorld, in environment: Environment) {
        bundleId = world.bundleId
        appAppleId = world.appAppleId
        self.environment = environment
        for life in lives where life.environment == environment {
            for delivery in life.deliveries { take(delivery, truth: life.truth) }
        }
        sortStatements()
    }

    private mutating func sortStatements() {
        sent.sort {
            ($0.signedDate, $0.notification.notificationUUID?.rawValue ?? "")
                < ($1.signedDate, $1.notification.notificationUUID?.rawValue ?? "")
        }
        for id in chains.keys { chains[id]?.sortStatements() }
    }

    private mutating func take(_ delivery: Delivery, truth: [TrueInterval]?) {
        let transaction = delivery.transaction
        let id =
            transaction?.originalTransactionId?.rawValue
            ?? delivery.renewal?.originalTransactionId?.rawValue
        guard let id else { return }
        var chain = chains[id] ?? Chain(originalTransactionId: id)
        if let transaction, let own = transaction.transactionId?.rawValue {
            chain.snapshots[own, default: []].append(transaction)
            chainOf[own] = id
        }
        if let renewal = delivery.renewal { chain.renewals.append(renewal) }
        if let truth { chain.truth = truth }
        chains[id] = chain
        chainOf[id] = id
        chainOf[ServedRecords.appTransactionId(of: id)] = id
        guard case .notification(let notification, _, let renewal) = delivery.evidence,
            let date = delivery.signedDate
        else { return }
        // Repeated deliveries were sent once.
        let name = notification.notificationUUID?.rawValue ?? "\(id) \(sent.count)"
        guard known.insert(name).inserted else { return }
        sent.append(
            Sent(
                signedDate: date, chain: id, notification: notification,
                transaction: transaction, renewal: renewal))
    }

    private var known: Set<String> = []

    /// A customer's appTransactionId, derived from the chain's id.
    static func appTransactionId(of chain: String) -> String { "70\(chain)" }
}

extension ServedRecords.Chain {
    /// Sorts snapshots and keeps those with changes. Among equal dates a refund wins
    /// (`Lifecycle.md` §2 rule 2): another notification of that time may predate it.
    fileprivate mutating func sortStatements() {
        renewals.sort { ($0.signedDate?.milliseconds ?? 0) < ($1.signedDate?.milliseconds ?? 0) }
        for (id, list) in snapshots {
            var kept: [TransactionPayload] = []
            for snapshot in list.sorted(by: { left, right in
                left.signed == right.signed
                    ? left.revocationDate == nil && right.revocationDate != nil
                    : left.signed < right.signed
            })
            where kept.last.map({ !$0.statesTheSame(as: snapshot) }) ?? true {
                kept.append(snapshot)
            }
            snapshots[id] = kept
        }
    }

    /// A transaction's state at a time; nil before it existed.
    func snapshot(_ id: String, at moment: Timestamp) -> TransactionPayload? {
        snapshots[id]?.last { $0.signed <= moment }
    }

    /// All transactions as of a time, by date of last modification, then by id.
    func transactions(at moment: Timestamp) -> [TransactionPayload] {
        snapshots.keys.compactMap { snapshot($0, at: moment) }
            .sorted { ($0.signed, $0.key) < ($1.signed, $1.key) }
    }

    func renewal(at moment: Timestamp) -> RenewalPayload? {
        renewals.last { ($0.signedDate ?? moment) <= moment }
    }

    /// Apple's status at a time; nil for anything but a subscription.
    func status(at moment: Timestamp) -> SubscriptionStatus? {
        switch truth.last(where: { $0.from <= moment })?.state {
        case .subscribed, .renewing: .active
        case .grace: .billingGracePeriod
        case .billingRetry: .billingRetry
        case .expired: .expired
        case .revoked: .revoked
        case .owned, .lapsed, .consumed, nil: nil
        }
    }
}

extension TransactionPayload {
    /// The date of last modification: that of the snapshot.
    var signed: Timestamp { signedDate ?? Timestamp(milliseconds: 0) }

    var key: String { transactionId?.rawValue ?? "" }

    fileprivate func statesTheSame(as other: TransactionPayload) -> Bool {
        var (one, two) = (self, other)
        (one.signedDate, two.signedDate) = (nil, nil)
        return one == two
    }
}

extension ServedRecords {
    /// Index of the first notification signed at or after that time.
    func firstSent(from moment: Timestamp) -> Int {
        sent.indices.partitioningIndex { sent[$0].signedDate >= moment }
    }
}

extension ServedRecords {
    /// Number of lives.
    public var chainCount: Int { chains.count }

    /// The first chains by id, as examples.
    public func someIds(_ count: Int) -> [String] { Array(chains.keys.sorted().prefix(count)) }
}
