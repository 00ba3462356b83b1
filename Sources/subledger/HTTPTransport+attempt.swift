import AppStoreAPI
import Simulator

extension HTTPTransport {
    /// Posts once, as Apple does; returns how Apple would treat the response. Throws
    /// `CancellationError`.
    func attempt(_ body: [UInt8], to url: String) async throws -> AttemptResult {
        let request = TransportRequest(
            method: "POST", url: url,
            headers: [.init("content-type", "application/json"), .init("user-agent", "subledger")],
            body: body)
        do throws(TransportFailure) {
            return AttemptResult(status: try await send(request).status)
        } catch {
            switch error {
            case .notConnected, .connectTimedOut, .tlsFailed: return .noResponse
            case .disconnected: return .prematureClose
            case .timedOut: return .timedOut
            case .tooLarge: return .other
            case .cancelled: throw CancellationError()
            }
        }
    }
}
