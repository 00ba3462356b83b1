import AppStore
import AppStoreAPI
import LedgerTestSupport
import Simulator

/// Forwards requests to the simulated API without a network, and injects the faults of its replies.
struct InProcessTransport: APITransport {
    let api: SimulatedAPI
    let time: VirtualTime
    let steps: Steps

    /// Duration of an exchange that is neither slow nor broken.
    static let usualMilliseconds: Int64 = 40

    func send(
        _ request: TransportRequest
    ) async throws(TransportFailure) -> TransportResponse {
        steps.pass("asking")
        guard !steps.isDead else { throw .cancelled }
        time.advance(milliseconds: InProcessTransport.usualMilliseconds)
        let reply = api.answer(ServedRequest(request))
        guard reply.delayMilliseconds < APILimits.timeoutMilliseconds else {
            time.advance(milliseconds: APILimits.timeoutMilliseconds)
            throw .timedOut
        }
        time.advance(milliseconds: reply.delayMilliseconds)
        let answer = try reply.arrived()
        steps.pass("answered")
        return answer
    }
}
