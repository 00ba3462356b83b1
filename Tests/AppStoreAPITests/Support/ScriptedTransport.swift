import AppStore
import AppStoreAPI
import Synchronization

/// Returns a test's responses in order, repeating the last one; and records the requests.
final class ScriptedTransport: APITransport {
    enum Step: Sendable {
        case answer(TransportResponse)
        case failure(TransportFailure)

        static func json(_ text: String, status: Int = 200) -> Step {
            .answer(TransportResponse(status: status, body: Array(text.utf8)))
        }

        /// A rejection with Apple's error number.
        static func refusal(_ number: Int64) -> Step {
            json(
                "{\"errorCode\":\(number),\"errorMessage\":\"hidden words\"}",
                status: Int(number / 10_000))
        }
    }

    private let state: Mutex<(steps: [Step], requests: [TransportRequest])>

    init(_ steps: [Step]) { state = Mutex((steps, [])) }

    var requests: [TransportRequest] { state.withLock { $0.requests } }

    func send(
        _ request: TransportRequest
    ) async throws(TransportFailure) -> TransportResponse {
        let step = state.withLock { state in
            state.requests.append(request)
            return state.steps.count > 1 ? state.steps.removeFirst() : state.steps[0]
        }
        switch step {
        case .answer(let answer): return answer
        case .failure(let failure): throw failure
        }
    }
}

extension TransportRequest {
    /// Everything after the host.
    var target: String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count > 3 ? "/" + parts[3] : "/"
    }

    var host: String { url.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
