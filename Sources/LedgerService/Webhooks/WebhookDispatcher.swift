import AppStore

/// Runs the couriers of every endpoint until it is cancelled. The feeds are run by whoever made
/// them, since others follow them too.
public struct WebhookDispatcher: Sendable {
    let couriers: [WebhookCourier]

    /// Endpoints of an environment without a feed are left out: it is not served.
    public init(
        endpoints: [WebhookEndpoint], feeds: [ChangeFeed], transport: any WebhookTransport,
        clock: any ServiceClock, report: @escaping @Sendable (WebhookNote) -> Void
    ) {
        couriers = endpoints.compactMap { endpoint in
            feeds.first { $0.ledger.environment == endpoint.environment }.map { feed in
                WebhookCourier(
                    endpoint: endpoint, feed: feed, transport: transport, clock: clock,
                    report: report)
            }
        }
    }

    /// Returns when the task is cancelled and every attempt that was under way has ended.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            for courier in couriers { group.addTask(priority: .utility) { await courier.run() } }
        }
    }
}
