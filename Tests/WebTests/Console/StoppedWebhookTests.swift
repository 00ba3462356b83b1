import AppStore
import AppStoreAPI
import Ledger
import LedgerStore
import Projection
import Queries
import Testing

@testable import Service
@testable import Web

@Suite("Webhooks that have stopped, in the console")
struct StoppedWebhookTests {
    private struct Accepting: APITransport {
        func send(
            _ request: TransportRequest
        ) async throws(TransportFailure) -> TransportResponse { TransportResponse(status: 204) }
    }

    @Test("A disabled endpoint is work to do, and its page says what enables it")
    func disabled() async throws {
        let home = "/console/production/"
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            func page(_ path: String) async throws -> String {
                String(decoding: try await client.get(home + path).bytes, as: UTF8.self)
            }
            let secret = String(repeating: "a", count: 32)
            host.reach.use(
                [
                    WebhookEndpoint(
                        name: "books", url: "https://example.com/hook",
                        environment: .production, filter: ChangeFilter(),
                        secret: try #require(WebhookSecret(text: "whsec_\(secret)")))
                ], Accepting())
            let operations = try host.ledger(.production).ledger.operations
            _ = try await operations.begin(
                WebhookEndpointRow(
                    name: "books", cursor: .beginning, disabledAt: ServedPlace.now))
            #expect(try await page("").contains("Webhook books: disabled, 0 waiting, 0 parked"))
            #expect(try await page("webhooks").contains("subledger webhooks test books"))
            try await operations.enableWebhook("books")
            let (first, webhooks) = (try await page(""), try await page("webhooks"))
            #expect(!first.contains("Webhook books") && !webhooks.contains("webhooks test"))
        }
    }
}
