import AppStore
import LedgerTestSupport
import Service
import Testing

@testable import Web

@Suite("A clock that jumps")
struct ClockTests {
    @Test("Back and forth: everything is accepted in order of arrival, and answers continue")
    func jumps() async throws {
        let clock = ManualClock(ServedPlace.now)
        var place = try ServedPlace()
        place.clock = { clock.now }
        let purchase = MadePurchase()
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            for (period, days) in [(0, 0), (1, -400), (2, 800)] as [(Int, Int64)] {
                clock.advance(byDays: days)
                let answer = try await client.notify(purchase.notificationBody(period))
                #expect(answer.status == 200)
                let path = "/v1/subscriptions/\(purchase.id)?minPosition=\(period + 1)"
                let show = try await client.ask(path + "&at=\(ServedPlace.now.rfc3339)")
                #expect(show.status == 200)
                #expect(show.json["position"]?.int64 == Int64(period + 1))
            }
            let events = try await client.get("/v1/events").json["events"]?.array ?? []
            let times = events.compactMap { $0["receivedAt"]?.string }
            #expect(times.count == 3)
            #expect(times == times.sorted())
            #expect(times.first == times.dropFirst().first)
        }
    }
}
