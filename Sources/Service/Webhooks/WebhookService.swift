public import Queries
public import ServiceLifecycle

/// Delivers webhooks for as long as the process serves; then ends what is under way, and closes
/// the connections. What was not confirmed by then is delivered again after the next start.
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

    /// Writes down where new endpoints begin; before the service takes anything in.
    public func begin() async { await dispatcher.begin() }

    public func run() async throws {
        await cancelWhenGracefulShutdown { await dispatcher.run() }
        await client.close()
    }
}
