import AppStore
import Foundation
import HTTPTypes
import Intake
import Ledger
import LedgerTestSupport
import Service
import Testing

@testable import Web

@Suite("Gaps on the page of a customer")
struct CustomerGapTests {
    @Test(
        "A gap after a purchase was linked away is on its new customer's page, and leads to why")
    func linkedAway() async throws {
        let clock = ManualClock(ServedPlace.now)
        var place = try ServedPlace()
        place.clock = { clock.now }
        let purchase = MadePurchase()
        let home = "/console/production/customers"
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            for period in 0...2 {
                let posted = try await client.notify(purchase.notificationBody(period))
                #expect(posted.status == 200)
            }
            for customer in ["ann", "bob"] {
                let linked = try await client.submit(
                    "\(home)/\(customer)/link",
                    "key=\(customer)&actor=sara&reason=r&chain=\(purchase.id)".utf8)
                #expect(linked.status == 303)
                let page = try await client.get(try #require(linked.headers[.location]))
                #expect(page.status == 200)
                clock.advance(byDays: 1)
            }
            // The third period ends, and no renewal arrives.
            clock.advance(byDays: 60)
            for (customer, isShown) in [("ann", false), ("bob", true)] {
                let page = try await client.get("\(home)/\(customer)")
                let text = page.text
                #expect(page.status == 200 && text.contains(purchase.id))
                #expect(text.contains("<b>Gap:</b>") == isShown, "\(customer)")
                guard isShown else { continue }
                let end = try #require(text.firstRange(of: "#notices\">why, and look up"))
                let link = try #require(text[..<end.lowerBound].split(separator: "\"").last)
                let notices = try await client.get(String(link))
                #expect(notices.status == 200 && notices.text.contains("id=\"notices\""))
            }
        }
    }

    private static let token = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"

    @Test("A page has eight gaps of many purchases at most, and counts the others")
    func many() async throws {
        var place = try ServedPlace()
        place.now = ServedPlace.now.advanced(byMilliseconds: 60 * 86_400_000)
        let token = CustomerGapTests.token
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            for number in 1...9 {
                let purchase = MadePurchase(
                    id: "60000000000000\(number)", appAccountToken: token)
                #expect(try await client.notify(purchase.notificationBody(0)).status == 200)
                guard number >= 8 else { continue }
                _ = try await client.ask("/v1/customers/\(token)/timeline?minPosition=\(number)")
                let page = try await client.get("/console/production/customers/\(token)").text
                #expect(page.components(separatedBy: "<b>Gap:</b>").count == 9)
                #expect(page.contains("pages of their purchases: 1.") == (number == 9))
            }
        }
    }

    @Test("A customer whose purchases give no entitlement is not said to hold none")
    func withoutEntitlement() async throws {
        let token = CustomerGapTests.token
        var place = try ServedPlace()
        place.configuration.catalogue.products[ProductId("com.example.pro.monthly")] =
            Catalogue.Product(entitlements: [])
        try await place.serve(renewed: MadePurchase(appAccountToken: token)) { client, _ in
            let text = try await client.get("/console/production/customers/\(token)").text
            #expect(text.contains("none of this customer's purchases gives an entitlement"))
            #expect(!text.contains("holds no purchase"))
            let access = try await MCPRouteTests.call(
                client, "access", #"{"customer":"\#(token)"}"#)
            let said = MCPRouteTests.text(access)
            #expect(said.contains("No purchase gives an entitlement") && !said.contains("no grant"))
        }
    }

    @Test("A purchase linked away stays on the page of its token's customer; each page says so")
    func linkedElsewhere() async throws {
        let (home, token) = ("/console/production/customers", CustomerGapTests.token)
        let purchase = MadePurchase(appAccountToken: token)
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            func decide(_ act: String, _ fields: String) async throws -> String {
                let made = try await client.submit(
                    "\(home)/\(act)", "actor=sara&reason=r&\(fields)".utf8)
                #expect(made.status == 303, "\(act)")
                return try await client.get(try #require(made.headers[.location])).text
            }
            let away = "named this customer and belongs to"
            let linked = try await decide("ann/link", "key=a&chain=\(purchase.id)")
            #expect(linked.contains("The account token names, or named, another customer"))
            #expect(!linked.contains("token changed"))
            let owner = try await client.get("\(home)/\(token)").text
            #expect(owner.contains("<b>No access</b>") && owner.contains(away))
            let granted = try await decide(
                "\(token)/grant", "key=b&entitlement=pro&until=2030-01-31")
            #expect(granted.contains("<b>Access to pro</b>") && granted.contains(away))
        }
    }

    @Test("Once a purchase is unlinked, and no token names a customer, it belongs to no customer")
    func unlinked() async throws {
        let path = "/console/production/customers/ann"
        let purchase = MadePurchase()
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            #expect(try await client.notify(purchase.notificationBody(2)).status == 200)
            for act in ["link", "unlink"] {
                let made = try await client.submit(
                    "\(path)/\(act)", "key=\(act)&actor=sara&reason=r&chain=\(purchase.id)".utf8)
                #expect(made.status == 303, "\(act)")
                let page = try await client.get(try #require(made.headers[.location])).text
                #expect(page.contains("data-reason=\"unlinked\"") == (act == "unlink"))
                #expect(!page.contains("belongs to another"))
            }
            let access = try await MCPRouteTests.call(client, "access", #"{"customer":"ann"}"#)
            #expect(MCPRouteTests.text(access).contains("(unlinked, subscription \(purchase.id))"))
        }
    }
}
