import AppStore
import AppStoreAPI
import Foundation
import Simulator
import Synchronization

/// Routes requests to simulated APIs without a socket: one for Production, one for Sandbox.
package final class SimulatedTransport: APITransport {
    private let production: SimulatedAPI?
    private let sandbox: SimulatedAPI?
    private struct State {
        package var sent: [TransportRequest] = []
        package var cut: Int?
        package var unreachable: [String] = []
    }

    private let state = Mutex(State())
    /// Observes each complete response before the client does.
    private let onAnswer: @Sendable (TransportRequest, TransportResponse) async -> Void

    package init(
        production: SimulatedAPI? = nil, sandbox: SimulatedAPI? = nil,
        onAnswer: @escaping @Sendable (TransportRequest, TransportResponse) async -> Void = {
            _, _ in
        }
    ) {
        self.production = production
        self.sandbox = sandbox
        self.onAnswer = onAnswer
    }

    /// Requests so far.
    package var sent: [TransportRequest] { state.withLock { $0.sent } }

    /// Requests after which connections fail; nil: never.
    package func cut(after count: Int?) { state.withLock { $0.cut = count } }

    /// Requests that name one of these ids find no connection.
    package func refuse(_ ids: some Sequence<String>) {
        state.withLock { $0.unreachable = Array(ids) }
    }

    package func send(
        _ request: TransportRequest
    ) async throws(TransportFailure) -> TransportResponse {
        let isCut = state.withLock { state in
            if let cut = state.cut, state.sent.count >= cut { return true }
            let body = String(decoding: request.body ?? [], as: UTF8.self)
            let isRefused = state.unreachable.contains {
                request.url.contains("/\($0)") || body.contains("\"\($0)\"")
            }
            if isRefused { return true }
            state.sent.append(request)
            return false
        }
        let api = request.url.contains("sandbox") ? sandbox : production
        guard !isCut, let api else { throw .notConnected }
        let answer = try api.answer(ServedRequest(request)).arrived()
        await onAnswer(request, answer)
        return answer
    }
}

extension ServedRequest {
    /// A request of the client, as the simulated API gets it.
    package init(_ request: TransportRequest) {
        let parts = URLComponents(string: request.url)
        self.init(
            method: request.method, path: parts?.percentEncodedPath ?? "",
            query: (parts?.queryItems ?? []).map { (name: $0.name, value: $0.value ?? "") },
            authorization: request.headers.first { $0.name == "authorization" }?.value,
            body: request.body ?? [])
    }
}

extension ServedResponse {
    /// The response as the client gets it; it never sees the whole of a broken or too large one.
    package func arrived() throws(TransportFailure) -> TransportResponse {
        guard manner == .whole else { throw .disconnected }
        guard body.count <= APILimits.answerByteCount else { throw .tooLarge }
        func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
        return TransportResponse(
            status: status, retryAfter: header("retry-after"), date: header("date"), body: body)
    }
}
