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

    @Test("A log ahead of the clock is reported once, and again after the clock caught up")
    func behind() async throws {
        let clock = ManualClock(ServedPlace.now)
        let codes = LogCodes()
        var place = try ServedPlace()
        place.clock = { clock.now }
        place.logger = codes.logger
        let purchase = MadePurchase()
        let reported: @Sendable () -> Int = { codes.all.count { $0 == "clockBehind" } }
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let steps: [(period: Int, days: Int64, reported: Int)] = [
                // Ahead, corrected, a repetition and another event; caught up, and back once more.
                (0, 400, 0), (0, -400, 0), (1, 0, 1), (2, 0, 1), (3, 401, 1), (4, -401, 2),
            ]
            for step in steps {
                clock.advance(byDays: step.days)
                let answer = try await client.notify(purchase.notificationBody(step.period))
                #expect(answer.status == 200)
                #expect(reported() == step.reported, "period \(step.period)")
            }
        }
    }

    @Test("A service that starts with its clock behind the log reports it with the first event")
    func behindAtStart() async throws {
        let codes = LogCodes()
        var place = try ServedPlace()
        let purchase = MadePurchase()
        place.now = ServedPlace.now.advanced(byMilliseconds: 86_400_000)
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
        }
        place.now = ServedPlace.now
        place.logger = codes.logger
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(!codes.all.contains("clockBehind"))
            #expect(try await client.notify(purchase.notificationBody(1)).status == 200)
            #expect(codes.all.count { $0 == "clockBehind" } == 1)
        }
    }
}
