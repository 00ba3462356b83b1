import AppStore
import HTTPTypes
import Intake
import Ledger
import LedgerTestSupport
import Service
import Testing

@testable import Web

@Suite("Withdrawing a grant in the console")
struct WithdrawPageTests {
    @Test("The form says which grant ends; another one goes on giving access")
    func second() async throws {
        let home = "/console/production/customers/ann"
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            func send(_ act: String, _ body: String) async throws -> String {
                let sent = try await client.submit("\(home)/\(act)", "actor=sara&\(body)".utf8)
                #expect(sent.status == 303)
                return try await client.get(try #require(sent.headers[.location])).text
            }
            _ = try await send("grant", "key=a&reason=outage&entitlement=pro&until=2030-01-31")
            let page = try await send(
                "grant", "key=b&reason=goodwill&entitlement=pro&until=2030-06-30+12:30:00")
            // Also of the one that does not decide.
            let links = page.ranges(of: "/ungrant?grant=")
            #expect(links.count == 2)
            let start = try #require(links.last)
            let id = page[start.upperBound...].prefix { $0 != "\"" && $0 != "&" }
            let asked = try await client.get("\(home)/ungrant?grant=\(id)").text
            #expect(asked.contains("Grant of pro until <time datetime=\"2030-06-30T12:30:00"))
            #expect(asked.contains("by sara: goodwill") && !asked.contains("outage"))
            // Another zone keeps what the form is about.
            #expect(asked.contains("/ungrant?grant=\(id)&amp;tz=local\">local</a>"))
            #expect(asked.contains("This grant ends now; other grants and purchases stay"))
            let after = try await send("ungrant", "key=c&reason=twice&grant=\(id)")
            #expect(after.contains("<b>Access to pro</b> until <time datetime=\"2030-01-31"))
            #expect(after.ranges(of: "/ungrant?grant=").count == 1)
        }
    }

    @Test("A product's own id is no misspelling, unless the catalogue lists the product")
    func ownId() async throws {
        var purchase = MadePurchase()
        purchase.appAccountToken = "0ab11111-2222-4333-8444-555555555555"
        let path = "/console/production/customers/0ab11111-2222-4333-8444-555555555555"
        let form = "key=g&actor=sara&reason=x&until=2100-01-01&entitlement=\(MadeChain.product)"
        for listed in ["com.example.pass", MadeChain.product] {
            var place = try ServedPlace()
            place.configuration.catalogue.products = [
                ProductId(listed): Catalogue.Product(entitlements: ["pro"])
            ]
            try await place.serve(renewed: purchase) { client, _ in
                let made = try await client.submit("\(path)/grant", form.utf8)
                #expect(made.status == 303)
                let after = try await client.get(try #require(made.headers[.location])).text
                let isWarned = after.contains("No product of the catalogue has the entitlement")
                #expect(isWarned == (listed == MadeChain.product), "\(listed)")
            }
        }
    }
}
