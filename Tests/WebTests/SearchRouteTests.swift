import AppStore
import HTTPTypes
import Queries
import Service
import Testing

@testable import Web

@Suite("Search over HTTP")
struct SearchRouteTests {
    private let purchase = MadePurchase()

    @Test("All are found, exactly or by their beginning; an invalid search is refused")
    func found() async throws {
        let cases = [
            ("", "invalidParameter"), ("q=", "invalidParameter"), ("q=%20", "invalidParameter"),
            ("q=" + String(repeating: "x", count: 257), "invalidParameter"),
            ("q=x&at=0", "unknownParameter"), ("q=x&environment=live", "unknownEnvironment"),
            ("q=%FF", "invalidParameter"),
        ]
        try await ServedPlace().serve(renewed: purchase) { client, host in
            for (query, code) in cases {
                let answer = try await client.get("/v1/search?\(query)")
                #expect(answer.status == 400 && answer.code == code, "\(query)")
            }
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
            let customer = try await client.get("/v1/search?q=user-42&minPosition=\(position)")
            #expect(customer.json["matches"]?.array?.first?["kind"]?.string == "customer")
            let begun = try await client.get("/v1/search?q=user&bundleId=\(MadePurchase.app)")
            #expect(begun.json["matches"]?.array?.first?["customer"]?.string == "user-42")
            #expect(begun.json["exact"]?.bool == false)
            let event = try await client.get("/v1/search?q=%231")
            #expect(event.json["matches"]?.array?.first?["position"]?.int64 == 1)
            let none = try await client.get("/v1/search?q=%3Cscript%3E%E2%80%AE")
            #expect(none.status == 200 && none.json["matches"]?.array?.isEmpty == true)
            let order = try await client.get("/v1/search?q=MK5TQL0XYZ")
            #expect(order.json["orderId"]?.bool == true)
            let tag = try #require(none.headers[.eTag])
            let again = try await client.get(
                "/v1/search?q=%3Cscript%3E%E2%80%AE", [.ifNoneMatch: tag])
            #expect(again.status == 304)
        }
    }
}
