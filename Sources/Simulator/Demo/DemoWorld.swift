public import AppStore

/// Two years of an app's customers up to now, and three days of which nothing arrived.
public struct DemoWorld: Sendable {
    /// What Apple knows of it.
    public let books: ServedBooks
    /// When what Apple sent did not arrive.
    public let outage: ClosedRange<Timestamp>
    /// Lives, their products and their beginnings.
    public let plan: HistoryPlan
    private let now: Timestamp

    private static let dayMilliseconds: Int64 = 86_400_000
    /// First purchases begin so long ago …
    static let historyDays: Int64 = 730
    /// … and end so long ago: later ones would have little to show.
    static let lastPurchaseDays: Int64 = 14
    /// Lives are followed so far into the future, so that none ends because the world does.
    static let horizonDays: Int64 = 60
    /// Late enough for outage detection to see, long enough ago for consequences.
    static let outageDays: ClosedRange<Int64> = 6...9

    /// - Parameters:
    ///   - chainCount: lives; some begin after now in no case.
    ///   - seed: names them.
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
        books = ServedBooks(plan)
        outage = daysAgo(DemoWorld.outageDays.upperBound)...daysAgo(DemoWorld.outageDays.lowerBound)
    }

    /// What came of the telling.
    public struct Told: Sendable, Equatable {
        /// Notifications that arrived, each once.
        public internal(set) var arrivedCount = 0
        /// Notifications that arrived in the outage, and so never.
        public internal(set) var lostCount = 0
        /// Transactions and statuses that came another way: from the app, or asked for.
        public internal(set) var otherCount = 0
    }

    /// Hands over what arrived up to now as lines that `ingest` reads, in order of arrival.
    ///
    /// Throws only what signing, or `write`, throws.
    public func tell(
        signedBy authority: Authority, to write: ([UInt8]) throws -> Void
    ) throws -> Told {
        let signer = DeliverySigner(authority: authority, appAppleId: plan.world.appAppleId)
        var stream = HistoryStream(plan)
        var told = Told()
        // Apple sends some twice; what came once is not lost.
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
                if let uuid { arrived.insert(uuid) } else { told.otherCount += 1 }
            }
        }
        told.arrivedCount = arrived.count
        told.lostCount = missed.subtracting(arrived).count
        return told
    }
}

extension Delivery {
    /// Names the notification; nil of what is none.
    fileprivate var notificationUUID: NotificationUUID? {
        guard case .notification(let notification, _, _) = evidence else { return nil }
        return notification.notificationUUID
    }
}
