import AppStore
import AppStoreAPI
import Foundation
import Signing
import Simulator

/// Carries requests to a simulated API without a socket.
struct BooksTransport: APITransport {
    let api: SimulatedAPI

    func send(
        _ request: TransportRequest
    ) async throws(TransportFailure) -> TransportAnswer {
        let parts = URLComponents(string: request.url)
        let reply = api.answer(
            ServedRequest(
                method: request.method, path: parts?.percentEncodedPath ?? "",
                query: (parts?.queryItems ?? []).map { (name: $0.name, value: $0.value ?? "") },
                authorization: request.headers.first { $0.name == "authorization" }?.value,
                body: request.body ?? []))
        return TransportAnswer(
            status: reply.status, retryAfter: nil,
            date: reply.headers.first { $0.name == "date" }?.value, body: reply.body)
    }

    /// Waiting takes no time.
    struct Clock: RequestClock {
        let now = ServedPlace.now
        let elapsedMilliseconds: Int64 = 0
        func sleep(milliseconds: Int64) async throws(CancellationError) {}
    }

    private static let key: ServedKey = {
        do { return try ServedKey() } catch { fatalError("OpenSSL makes no keys: \(error)") }
    }()

    /// A client of the app whose customers are in these books.
    static func client(_ books: ServedBooks) throws -> AppStoreServerAPIClient {
        let setup = SimulatedAPI.Setup(
            books: books, key: key, authority: TestAuthority.shared,
            storeClock: { ServedPlace.now }, clock: { ServedPlace.now })
        return AppStoreServerAPIClient(
            credentials: try APICredentials(
                keyId: key.keyId, issuerId: key.issuerId, bundleId: books.bundleId, pem: key.pem),
            transport: BooksTransport(api: SimulatedAPI(setup)), clock: Clock())
    }
}
