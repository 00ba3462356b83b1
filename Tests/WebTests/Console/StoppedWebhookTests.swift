import AppStore
import AppStoreAPI
import HTTPTypes
import Ledger
import LedgerStore
import Projection
import Queries
import Testing

@testable import Console
@testable import Service
@testable import Web

@Suite("Webhooks that have stopped, in the console")
struct StoppedWebhookTests {
    private struct Away: APITransport {
        func send(
            _ request: TransportRequest
        ) async throws(TransportFailure) -> TransportResponse { TransportResponse(status: 503) }
    }

    private static func books() throws -> WebhookEndpoint {
        let secret = String(repeating: "a", count: 32)
        return WebhookEndpoint(
            name: "books", url: "https://example.com/hook", environment: .production,
            filter: ChangeFilter(),
            secret: try #require(WebhookSecret(text: "whsec_\(secret)")))
    }

    @Test("An endpoint that fails is work to do; its page and a redelivery say what happened")
    func failing() async throws {
        let home = "/console/production/"
        try await ServedPlace().serve(renewed: MadePurchase()) { client, host in
            host.reach.use([try StoppedWebhookTests.books()], Away())
            let operations = try host.ledger(.production).ledger.operations
            _ = try await operations.begin(
                WebhookEndpointRow(
                    name: "books", cursor: .beginning, lastAttemptAt: ServedPlace.now,
                    lastOutcome: "unreachable"))
            let first = try await client.get(home).text
            #expect(first.contains("Webhook books: live, failing (unreachable), 0 waiting"))
            #expect(!first.contains("Webhooks: unknown"))
            let page = try await client.get(home + "webhooks").text
            #expect(page.contains("live, failing</span>") && page.contains("<dd>position 0 of "))
            #expect(page.contains("<dd>unreachable at <time") && page.contains("<dd>never</dd>"))
            let sent = try await client.submit(
                home + "webhooks/books/redeliver",
                Array("key=one&actor=sara&reason=x&from=1&to=9".utf8))
            #expect(sent.status == 303)
            let after = try await client.get(try #require(sent.headers[.location])).text
            #expect(after.contains(" 0 delivered, ") && after.contains("(last: 503)"))
            let other = try await client.get(home + "webhooks?act=other").text
            #expect(!other.contains("The redelivery has ended"))
        }
    }

    @Test("A disabled endpoint is work to do, and its page says what enables it")
    func disabled() async throws {
        let home = "/console/production/"
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            func page(_ path: String) async throws -> String {
                try await client.get(home + path).text
            }
            host.reach.use([try StoppedWebhookTests.books()], Away())
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
