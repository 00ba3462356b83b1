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
    /// How many lives the notifications are about.
    let lifeCount: Int
    let isJSON: Bool

    func run() async throws {
        let transport = HTTPTransport()
        let progress = ProgressLine()
        let tally = try await closing(transport.close) {
            try await cancelWhenGracefulShutdown { try await deliver(transport, progress) }
        }
        progress.end()
        try? output(tally).print(asJSON: isJSON)
    }

    /// Delivers until everything is settled or the service is stopped; returns the totals either
    /// way.
    private func deliver(
        _ transport: HTTPTransport, _ progress: ProgressLine
    ) async throws -> Notifier.Tally {
        var notifier = notifier
        do {
            try await notifier.run(
                until: end, signedBy: signer,
                reach: { moment in
                    progress.show("notify: \(moment.rfc3339)")
                    try Task.checkCancellation()
                    time.reach(moment)
                }, deliver: { body, _ in try await transport.attempt(body, to: url) })
            time.reach(rest)
        } catch is CancellationError {}
        return notifier.tally
    }

    private func output(_ tally: Notifier.Tally) -> Output {
        let neverTaken = notifier.attempts.failedCount
        let text = """
            \(tally.notifications.named("notification", "notifications")) of \
            \(lifeCount.named("life", "lives")) up to \(end.rfc3339): \
            \(tally.attempts.named("attempt", "attempts")), \(tally.handedOver) handed over, \
            \(tally.failed) failed, \(tally.lost) lost unnoticed, \
            \(tally.givenUp) given up, \(neverTaken) never taken

            """
        return Output(text: text) { json in
            json.member("notifications", tally.notifications)
            json.member("lives", lifeCount)
            json.member("until", end)
            json.member("attempts", tally.attempts)
            json.member("handedOver", tally.handedOver)
            json.member("failed", tally.failed)
            json.member("lost", tally.lost)
            json.member("givenUp", tally.givenUp)
            json.member("neverTaken", neverTaken)
        }
    }
}
