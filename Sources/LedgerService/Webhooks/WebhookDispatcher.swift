import AppStore
import LedgerStore

/// Runs the couriers of every endpoint and the feeds they read, until it is cancelled.
public struct WebhookDispatcher: Sendable {
    let feeds: [ChangeFeed]
    let couriers: [WebhookCourier]
    let report: @Sendable (StoreError) -> Void

    /// Endpoints of an environment without a feed are left out: it is not served.
    public init(
        endpoints: [WebhookEndpoint], feeds: [ChangeFeed], transport: any WebhookTransport,
        clock: any ServiceClock, report: @escaping @Sendable (WebhookNote) -> Void
    ) {
        self.feeds = feeds
        couriers = endpoints.compactMap { endpoint in
            feeds.first { $0.ledger.environment == endpoint.environment }.map { feed in
                WebhookCourier(
                    endpoint: endpoint, feed: feed, transport: transport, clock: clock,
                    report: report)
            }
        }
        self.report = { report(.storeFailed(endpoint: "-", error: $0)) }
    }

    /// Returns when the task is cancelled and every attempt that was under way has ended.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            for feed in feeds { group.addTask { await feed.run(report) } }
            for courier in couriers { group.addTask { await courier.run() } }
        }
    }
}
