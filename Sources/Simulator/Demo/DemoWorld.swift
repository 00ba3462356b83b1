public import AppStore

/// Two years of an app's customers up to now, with three days of lost notifications.
public struct DemoWorld: Sendable {
    /// Apple's data.
    public let books: ServedRecords
    /// When no notification arrived.
    public let outage: ClosedRange<Timestamp>
    /// The lives with their products and starts.
    public let plan: HistoryPlan
    private let now: Timestamp

    private static let dayMilliseconds: Int64 = 86_400_000
    /// First purchases start this many days ago …
    static let historyDays: Int64 = 730
    /// … and end this many days ago: later ones would show little.
    static let lastPurchaseDays: Int64 = 14
    /// Days that lives continue into the future, so that none ends with the world.
    static let horizonDays: Int64 = 60
    /// Late enough to be detected, early enough to have consequences.
    static let outageDays: ClosedRange<Int64> = 6...9

    /// The world of `seed`: `chainCount` lives, none of which starts after now.
    public init(chainCount: Int, seed: UInt64, now: Timestamp) {
        func daysAgo(_ days: Int64) -> Timestamp {
            now.advanced(byMilliseconds: -days * DemoWorld.dayMilliseconds)
        }
        self.now = now
        plan = HistoryPlan(
            world: SubscriberWorld(
                firstPurchases:
                    daysAgo(DemoWorld.historyDays)...daysAgo(DemoWorld.lastPurchaseDays),
                horizon: daysAgo(-DemoWorld.horizonDays)),
            seed: seed, limit: .chains(chainCount))
        books = ServedRecords(plan)
        outage = daysAgo(DemoWorld.outageDays.upperBound)...daysAgo(DemoWorld.outageDays.lowerBound)
    }

    /// Counts of what was written.
    public struct Delivered: Sendable, Equatable {
        /// Notifications that arrived, each counted once.
        public internal(set) var arrivedCount = 0
        /// Notifications lost in the outage.
        public internal(set) var lostCount = 0
        /// Transactions and statuses from other sources: the app or the API.
        public internal(set) var otherCount = 0
    }

    /// Writes everything that arrived up to now as lines that `ingest` reads, in order of arrival.
    ///
    /// Throws only the errors of signing and of `write`.
    public func emit(
        signedBy authority: Authority, to write: ([UInt8]) throws -> Void
    ) throws -> Delivered {
        let signer = DeliverySigner(authority: authority, appAppleId: plan.world.appAppleId)
        var stream = HistoryStream(plan)
        var reported = Delivered()
        // Apple sends some twice; one that arrived once is not lost.
        var arrived: Set<NotificationUUID> = []
        var missed: Set<NotificationUUID> = []
        while case let page = stream.next(), !page.isEmpty {
            for entry in page where entry.delivery.receivedAt <= now {
                let uuid = entry.delivery.notificationUUID
                guard !outage.contains(entry.delivery.receivedAt) else {
                    if let uuid { missed.insert(uuid) }
                    continue
                }
                try write(try signer.line(entry.delivery) + [UInt8(ascii: "\n")])
                if let uuid { arrived.insert(uuid) } else { reported.otherCount += 1 }
            }
        }
        reported.arrivedCount = arrived.count
        reported.lostCount = missed.subtracting(arrived).count
        return reported
    }
}

extension Delivery {
    /// Identifies a notification; nil for any other delivery.
    fileprivate var notificationUUID: NotificationUUID? {
        guard case .notification(let notification, _, _) = evidence else { return nil }
        return notification.notificationUUID
    }
}
