import AppStore
import HTTPTypes
import Queries
import Service
import Testing

@testable import Web

@Suite("Search over HTTP")
struct SearchRouteTests {
    private let purchase = MadePurchase()

    @Test("An invalid search is refused")
    func refused() async throws {
        let cases = [
            ("", "invalidParameter"), ("q=", "invalidParameter"), ("q=%20", "invalidParameter"),
            ("q=" + String(repeating: "x", count: 257), "invalidParameter"),
            ("q=x&at=0", "unknownParameter"), ("q=x&environment=live", "unknownEnvironment"),
            ("q=%FF", "invalidParameter"),
        ]
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for (query, code) in cases {
                let answer = try await client.get("/v1/search?\(query)")
                #expect(answer.status == 400, "\(query)")
                #expect(answer.code == code, "\(query)")
            }
        }
    }

    @Test("Chains, transactions, events and customers are found, exactly or by their beginning")
    func found() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let note = try await client.send(
                .post, "/v1/customers/user-42/notes", [.actor: "sara", .reason: "called"])
            #expect(note.status == 200)
            let position = try #require(note.json["position"]?.int64)
            let chain = try await client.get("/v1/search?q=\(purchase.id)")
            #expect(chain.json["exact"]?.bool == true)
            #expect(chain.json["matches"]?.array?.count == 1)
            let match = chain.json["matches"]?.array?.first
            #expect(match?["kind"]?.string == "subscription")
            #expect(match?["bundleId"]?.string == MadePurchase.app)
            let start = try await client.get("/v1/search?q=\(purchase.id.prefix(5))")
            #expect(start.json["exact"]?.bool == false)
            #expect(start.json["matches"]?.array?.isEmpty == false)
            let event = try await client.get("/v1/search?q=%231")
            #expect(event.json["matches"]?.array?.first?["position"]?.int64 == 1)
            let customer = try await client.get("/v1/search?q=user-42&minPosition=\(position)")
            #expect(customer.json["matches"]?.array?.first?["kind"]?.string == "customer")
            let begun = try await client.get("/v1/search?q=user&bundleId=\(MadePurchase.app)")
            #expect(begun.json["matches"]?.array?.first?["customer"]?.string == "user-42")
            let none = try await client.get("/v1/search?q=%3Cscript%3E%E2%80%AE")
            #expect(none.status == 200 && none.json["matches"]?.array?.isEmpty == true)
            let order = try await client.get("/v1/search?q=MK5TQL0XYZ")
            #expect(order.json["orderId"]?.bool == true)
            let tag = try #require(none.headers[.eTag])
            let again = try await client.get(
                "/v1/search?q=%3Cscript%3E%E2%80%AE", [.ifNoneMatch: tag])
            #expect(again.status == 304)
            let value = try await host.search(purchase.id, QueryScope())
            #expect(value.matches.map(\.id) == [purchase.id])
        }
    }
}
