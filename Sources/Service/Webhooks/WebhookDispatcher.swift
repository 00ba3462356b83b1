import AppStore
internal import LedgerStore
internal import Projection
public import Queries
internal import SQLiteStore

/// Runs the couriers of every endpoint until it is cancelled, unless another process delivers for
/// their environment: then they take over when that one ends. The feeds are run by whoever made
/// them, since others follow them too.
public struct WebhookDispatcher: Sendable {
    let couriers: [WebhookCourier]
    private let clock: any ServiceClock
    private let report: @Sendable (WebhookNote) -> Void

    /// Endpoints of an environment without a feed are left out: it is not served.
    public init(
        endpoints: [WebhookEndpoint], feeds: [ChangeFeed], transport: any WebhookTransport,
        clock: any ServiceClock, report: @escaping @Sendable (WebhookNote) -> Void
    ) {
        self.clock = clock
        self.report = report
        couriers = endpoints.compactMap { endpoint in
            feeds.first { $0.ledger.environment == endpoint.environment }.map { feed in
                WebhookCourier(
                    endpoint: endpoint, feed: feed, transport: transport, clock: clock,
                    report: report)
            }
        }
    }

    /// Writes down where those endpoints begin that were never here before, whoever delivers to
    /// them. To be called before the service takes anything in: what it confirms after that is told
    /// to them. An endpoint of which nothing can be read or written begins now all the same, unless
    /// it turns out to have begun earlier, and forgets it with the process; that is reported.
    public func begin() async {
        for courier in couriers {
            do throws(StoreError) { try await courier.begin() } catch {
                report(.storeFailed(endpoint: courier.endpoint.name, error: error))
            }
        }
    }

    /// Returns when the task is cancelled and every attempt that was under way has ended.
    public func run() async {
        let environments = Dictionary(grouping: couriers, by: \.endpoint.environment)
        await withTaskGroup(of: Void.self) { group in
            for couriers in environments.values { group.addTask { await deliver(couriers) } }
        }
    }

    /// Runs the couriers of one environment once nobody else does.
    private func deliver(_ couriers: [WebhookCourier]) async {
        guard let first = couriers.first else { return }
        let directory = first.feed.ledger.directory
        while !Task.isCancelled {
            do throws(StoreError) {
                let lock = try await Blocking.run { () throws(StoreError) in
                    try DeliveryLock.take(directory: directory)
                }
                if let lock {
                    await run(couriers)
                    return withExtendedLifetime(lock) {}
                }
            } catch { report(.storeFailed(endpoint: first.endpoint.name, error: error)) }
            do { try await clock.sleep(milliseconds: WebhookLimits.lockPollMilliseconds) } catch {
                return
            }
        }
    }

    private func run(_ couriers: [WebhookCourier]) async {
        await withTaskGroup(of: Void.self) { group in
            for courier in couriers { group.addTask(priority: .utility) { await courier.run() } }
        }
    }
}
