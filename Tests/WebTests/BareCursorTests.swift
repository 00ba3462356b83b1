import AppStore
import HummingbirdTesting
import LedgerTestSupport
import Testing

@testable import Web

@Suite("GET /v1/changes after a position")
struct BareCursorTests {
    @Test("Changes by the clock at the last position are sent to a subscriber that starts after it")
    func quiet() async throws {
        let purchase = MadePurchase()
        let clock = ManualClock(purchase.start(0).advanced(byMilliseconds: 86_400_000))
        var place = try ServedPlace()
        place.clock = { clock.now }
        try await place.serve(.live) { client, _ in
            let port = try #require(client.client.port)
            #expect(try await client.notify(purchase.notificationBody(0)).status == 200)
            // Everything emitted so far, and with it the feed's own start.
            try await StreamReader.open(port: port, "/v1/changes?after=0") { stream in
                #expect(await stream.wait(for: "event: started\n"))
            }
            try await StreamReader.open(port: port, "/v1/changes?after=1") { stream in
                #expect(await stream.wait(for: "retry: "))
                // No renewal follows, and nothing more is appended.
                clock.advance(byDays: 60)
                #expect(await stream.wait(for: "event: expired\n"))
                #expect(!stream.text.contains("event: started\n"))
            }
        }
    }
}
