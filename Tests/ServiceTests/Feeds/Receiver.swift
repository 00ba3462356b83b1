import AppStore
import AppStoreAPI
import Service
import Synchronization

/// An endpoint with scripted responses that records requests.
final class Receiver: APITransport {
    typealias Answer = @Sendable (Message) -> WebhookOutcome

    struct Message: Sendable {
        let id: String
        let url: String
        let headers: [String: String]
        let bytes: [UInt8]
        let body: JSONValue

        var type: String { body["type"]?.string ?? "" }
        var chain: String { body["data"]?["originalTransactionId"]?.string ?? "" }
        var sequence: Int64 { body["data"]?["sequence"]?.int64 ?? 0 }
        var previous: Int64? { body["data"]?["previous"]?["sequence"]?.int64 }
        var stateHash: String? { body["data"]?["stateHash"]?.string }
        var previousHash: String? { body["data"]?["previous"]?["stateHash"]?.string }
    }

    /// Not a tuple: each access to one in a `Mutex` wraps its closure again, whose call overflows
    /// the stack after some thousands.
    private struct State {
        var answer: Answer
        var taken: [Message] = []
        var tried: [Message] = []
    }

    private let state: Mutex<State>

    init(_ answer: @escaping Answer = { _ in .answered(status: 204) }) {
        state = Mutex(State(answer: answer))
    }

    /// Accepted messages, in order.
    var taken: [Message] { state.withLock { $0.taken } }
    /// All messages posted.
    var tried: [Message] { state.withLock { $0.tried } }

    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    func forget() {
        state.withLock { state in
            state.taken = []
            state.tried = []
        }
    }

    func send(
        _ request: TransportRequest
    ) async throws(TransportFailure) -> TransportResponse {
        let headers = Dictionary(
            uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
        let bytes = request.body ?? []
        let message = Message(
            id: headers["webhook-id"] ?? "", url: request.url, headers: headers,
            bytes: bytes, body: (try? JSONValue.parse(bytes)) ?? .null)
        let outcome = state.withLock { state in
            let outcome = state.answer(message)
            state.tried.append(message)
            if outcome.isSuccess { state.taken.append(message) }
            return outcome
        }
        switch outcome {
        case .answered(let status): return TransportResponse(status: status)
        case .timedOut: throw .timedOut
        case .unreachable: throw .notConnected
        case .tlsFailed(let reason): throw .tlsFailed(reason: reason)
        }
    }
}
