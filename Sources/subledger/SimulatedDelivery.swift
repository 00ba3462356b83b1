import AppStore
import AppStoreAPI
import Logging
import ServiceLifecycle
import Simulator

/// Posts a notifier's deliveries to a server until all are settled.
struct SimulatedDelivery: Service {
    let notifier: Notifier
    let signer: DeliverySigner
    let time: StoreTime
    /// Where Apple would post to.
    let url: String
    /// What would arrive later is not sent.
    let end: Timestamp
    /// The store's time once everything is settled, if it is not later already; nil leaves it.
    let rest: Timestamp?
    /// Told of each arrival, in the time of the store.
    let report: @Sendable (Timestamp) -> Void
    /// Told what has become of everything, at the end.
    let finished: @Sendable (Notifier.Tally) -> Void

    func run() async throws {
        let transport = HTTPTransport()
        let ended: Result<Notifier.Tally, any Error>
        do {
            ended = .success(
                try await cancelWhenGracefulShutdown { try await deliver(transport) })
        } catch { ended = .failure(error) }
        await transport.close()
        finished(try ended.get())
    }

    /// Until all is settled, or somebody stops it, who wants to know how far it came.
    private func deliver(_ transport: HTTPTransport) async throws -> Notifier.Tally {
        var notifier = notifier
        do {
            try await notifier.run(
                until: end, signedBy: signer,
                reach: { moment in
                    report(moment)
                    try await time.reach(moment)
                }, deliver: { body, _ in try await post(body, transport) })
            if let rest { try await time.reach(rest) }
        } catch is CancellationError {}
        return notifier.tally
    }

    /// Posts once, as Apple does; what Apple would make of what came back.
    private func post(_ body: [UInt8], _ transport: HTTPTransport) async throws -> AttemptResult {
        let request = TransportRequest(
            method: "POST", url: url,
            headers: [.init("content-type", "application/json"), .init("user-agent", "subledger")],
            body: body)
        do throws(TransportFailure) {
            return AttemptResult(status: try await transport.send(request).status)
        } catch {
            switch error {
            case .notConnected: return .noResponse
            case .disconnected: return .prematureClose
            case .timedOut: return .timedOut
            case .tooLarge: return .other
            case .cancelled: throw CancellationError()
            }
        }
    }
}
