import AppStore
import AppStoreAPI
import ServiceLifecycle
import Simulator

/// Posts a notifier's deliveries to a server until all are settled.
struct SimulatedDelivery: Service {
    let notifier: Notifier
    let signer: DeliverySigner
    let time: SimulatedClock
    /// The URL to post to.
    let url: String
    /// Deliveries that would arrive later are not sent.
    let end: Timestamp
    /// The store's time once everything is settled, unless it is already later.
    let rest: Timestamp
    /// Called with the store's time at each arrival.
    let report: @Sendable (Timestamp) -> Void
    /// Called with the totals at the end.
    let finished: @Sendable (Notifier.Tally) -> Void

    func run() async throws {
        let transport = HTTPTransport()
        let tally = try await closing(transport.close) {
            try await cancelWhenGracefulShutdown { try await deliver(transport) }
        }
        finished(tally)
    }

    /// Delivers until everything is settled or the service is stopped; returns the totals either
    /// way.
    private func deliver(_ transport: HTTPTransport) async throws -> Notifier.Tally {
        var notifier = notifier
        do {
            try await notifier.run(
                until: end, signedBy: signer,
                reach: { moment in
                    report(moment)
                    try Task.checkCancellation()
                    time.reach(moment)
                }, deliver: { body, _ in try await transport.attempt(body, to: url) })
            time.reach(rest)
        } catch is CancellationError {}
        return notifier.tally
    }
}
