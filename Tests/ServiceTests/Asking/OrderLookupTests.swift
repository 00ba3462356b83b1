import AppStore
import AppStoreAPI
import AppleSync
import LedgerTestSupport
import Simulator
import TestSupport
import Testing

@testable import Service

@Suite("Looking up an order")
struct OrderLookupTests {
    /// Ends every request as cancelled.
    private struct Cancelled: APITransport {
        func send(
            _ request: TransportRequest
        ) async throws(TransportFailure) -> TransportResponse {
            throw .cancelled
        }
    }

    /// Looks an order up for two apps: the key of the first is refused.
    private func find(
        _ order: String, _ apple: AskedApple, first: (any APITransport)? = nil
    ) async throws -> String? {
        let app = BundleId("com.a")
        let refused = AppStoreServerAPIClient(
            credentials: try ServedKey(keyId: "OTHER").credentials(app),
            transport: first ?? apple.transport, clock: apple.clock)
        let place = try TemporaryLedger()
        return try await Gate.ledgers.pass {
            let books = apple.books(place)
            let requests = ReceiptRequests(
                clients: [app: refused, AskedApple.app: apple.client], ledgers: books)
            let result = await Result { try await requests.run(.order(order), .production) }
            await books.close()
            return try result.get()
        }
    }

    @Test("A cancelled look-up ends at once")
    func cancelled() async throws {
        let apple = try AskedApple()
        let error = await #expect(throws: AppleRequestFailure.self) {
            try await find("MK1", apple, first: Cancelled())
        }
        #expect(error?.code == "cancelled")
        #expect(apple.transport.sent.isEmpty)
    }

    @Test("Where no app has the order, the refused key is the failure")
    func nowhere() async throws {
        let apple = try AskedApple()
        let error = await #expect(throws: AppleRequestFailure.self) {
            try await find("MK1", apple)
        }
        #expect(error?.code == "unauthorized")
        // The first app's token and its replacement, and the second app.
        #expect(apple.transport.sent.count == 3)
    }

    @Test("A refused key does not hide the order of another app")
    func found() async throws {
        let id = AskedApple.production.someIds(1)[0]
        #expect(try await find("MK\(id)", try AskedApple()) == id)
    }
}
