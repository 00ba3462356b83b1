public import Queries
public import ServiceLifecycle

/// Delivers webhooks while the process serves; at shutdown, finishes deliveries in progress and
/// closes the connections. Unconfirmed deliveries are repeated after the next start.
public struct WebhookService: Service {
    let client: WebhookClient
    let dispatcher: WebhookDispatcher

    public init(
        endpoints: [WebhookEndpoint], feeds: [ChangeFeed], clock: any ServiceClock,
        report: @escaping @Sendable (WebhookNote) -> Void
    ) {
        let client = WebhookClient()
        self.client = client
        dispatcher = WebhookDispatcher(
            endpoints: endpoints, feeds: feeds, transport: client, clock: clock, report: report)
    }

    /// Stores the cursors of new endpoints; call it before the service accepts events.
    public func begin() async { await dispatcher.begin() }

    public func run() async throws {
        await cancelWhenGracefulShutdown { await dispatcher.run() }
        await client.close()
    }
}
