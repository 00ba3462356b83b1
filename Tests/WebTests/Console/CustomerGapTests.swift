import HTTPTypes
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
                #expect(notices.status == 200)
                #expect(notices.text.contains("id=\"notices\""))
            }
        }
    }
}
