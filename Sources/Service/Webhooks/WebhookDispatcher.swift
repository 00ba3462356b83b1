internal import AppStore
public import AppStoreAPI
internal import LedgerStore
internal import Projection
public import Queries

/// Runs the webhooks of every endpoint until cancelled. While another process delivers for an
/// environment, its webhooks wait and take over when that process ends. The feeds are run by their
/// owner, since they have other subscribers, too.
public struct WebhookDispatcher: Sendable {
    let webhooks: [WebhookDelivery]
    private let clock: any ServiceClock
    private let report: @Sendable (ServingNote) -> Void

    /// Leaves out endpoints of an environment that is not served and so has no feed.
    public init(
        endpoints: [WebhookEndpoint], feeds: [ChangeFeed], transport: any APITransport,
        clock: any ServiceClock, report: @escaping @Sendable (ServingNote) -> Void
    ) {
        self.clock = clock
        self.report = report
        webhooks = endpoints.compactMap { endpoint in
            feeds.first { $0.ledger.environment == endpoint.environment }.map { feed in
                WebhookDelivery(
                    endpoint: endpoint, feed: feed, transport: transport, clock: clock,
                    report: report)
            }
        }
    }

    /// Stores the start of new endpoints, whichever process delivers to them. Call it before intake
    /// starts: events confirmed afterwards are delivered to them. An endpoint whose row can be
    /// neither read nor written still starts now, in memory only, unless it proves to have started
    /// earlier; this is reported.
    ///
    /// While the database of an environment is unavailable, the environment accepts no events and
    /// each query takes seconds: its other endpoints are skipped, and begin with their first step.
    public func begin() async {
        var away: Set<Environment> = []
        for webhook in webhooks where !away.contains(webhook.endpoint.environment) {
            do throws(StoreError) { try await webhook.begin() } catch {
                report(failure(of: webhook, error))
                if error.code == .databaseUnavailable, await webhook.beginning == nil {
                    away.insert(webhook.endpoint.environment)
                }
            }
        }
    }

    private func failure(of webhook: WebhookDelivery, _ error: StoreError) -> ServingNote {
        .webhook(webhook.endpoint.name, .warning, "webhookStoreFailed", "\(error)")
    }

    /// Returns when the task is cancelled and every running attempt has ended.
    public func run() async {
        let environments = Dictionary(grouping: webhooks, by: \.endpoint.environment)
        await withTaskGroup(of: Void.self) { group in
            for webhooks in environments.values { group.addTask { await deliver(webhooks) } }
        }
    }

    /// Runs the webhooks of one environment once no other process delivers for it.
    private func deliver(_ webhooks: [WebhookDelivery]) async {
        guard let first = webhooks.first else { return }
        let (feed, operations) = (first.feed, first.feed.ledger.operations)
        // A database that is away fails each attempt: it is reported once.
        var reported: StoreError.Code?
        while !Task.isCancelled {
            do throws(StoreError) {
                if feed.isCurrent() {
                    let lease = try await operations.lease(.webhooks)
                    reported = nil
                    if let lease {
                        await run(webhooks, while: lease, feed)
                        // Another node continues from the stored state.
                        for webhook in webhooks { await webhook.forget() }
                    }
                }
            } catch {
                if error.code != reported {
                    report(
                        ServingNote(
                            .warning, "webhookStoreFailed", in: feed.ledger.environment,
                            "This node delivers no webhook: \(error)"))
                }
                reported = error.code
            }
            do { try await clock.sleep(milliseconds: WebhookLimits.lockPollMilliseconds) } catch {
                return
            }
        }
    }

    /// Runs until the task is cancelled or, of a shared log, the lease is lost or left to a node
    /// that is ahead.
    private func run(
        _ webhooks: [WebhookDelivery], while lease: any Lease, _ feed: ChangeFeed
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for webhook in webhooks { group.addTask(priority: .utility) { await webhook.run() } }
            guard feed.ledger.isShared else { return await group.waitForAll() }
            group.addTask {
                while lease.isHeld, feed.isCurrent(), !Task.isCancelled {
                    try? await Task.sleep(for: WebhookLimits.leasePollInterval)
                }
            }
            await group.next()
            group.cancelAll()
        }
        withExtendedLifetime(lease) {}
    }
}
