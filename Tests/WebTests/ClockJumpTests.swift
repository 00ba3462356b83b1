import AppStore
import HTTPTypes
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Service
import Simulator
import Testing

@testable import Web

@Suite("A clock that jumps forward next to one that does not")
struct ClockJumpTests {
    private let clock = ManualClock(ServedPlace.now)
    private let codes = LogCodes()
    private let purchase = MadePurchase()

    /// The monotonic clock, at which no time passes.
    private func place() throws -> ServedPlace {
        var place = try ServedPlace.single()
        place.clock = { clock.now }
        place.steady = { 0 }
        place.logger = codes.logger
        return place
    }

    private static let hour: Int64 = 3_600_000

    private static func jumped(_ client: WebClient) async throws -> Double? {
        let text = try await client.get("/metrics").text
        return text.split(separator: "\n").first {
            $0.hasPrefix("subledger_clock_ahead_seconds ")
        }.flatMap { Double($0.split(separator: " ")[1]) }
    }

    /// Expects that everything that depends on the clock is refused, and nothing stored.
    private static func requireStopped(
        _ client: WebClient, _ host: LedgerHost, _ purchase: MadePurchase
    ) async throws {
        let json: HTTPFields = [.contentType: "application/json"]
        let customer = "/v1/customers/ann"
        let answers = [
            try await client.notify(purchase.notificationBody(1)),
            try await client.post("/v1/transactions", purchase.uploadBody(1)),
            try await client.post("/v1/receipts", Array(#"{"receipt":"AAAA"}"#.utf8)),
            try await client.send(
                .put, "\(customer)/subscriptions/\(purchase.id)", .decision()),
            try await client.send(.post, "\(customer)/notes", .decision()),
            try await client.get("/v1/subscriptions/\(purchase.id)"),
            try await client.get("/v1/subscriptions/\(purchase.id)/timeline"),
            try await client.get("\(customer)/entitlements"),
            try await client.get("\(customer)/entitlements?minPosition=99"),
            try await client.get("\(customer)/timeline"),
            try await client.get("\(customer)/subscriptions"),
            try await client.post(
                "/v1/customers:entitlements", Array(#"{"customers":["ann"]}"#.utf8), json),
        ]
        for (index, answer) in answers.enumerated() {
            #expect(answer.status == 503 && answer.code == "clockJumped", "\(index)")
            #expect(answer.headers[.retryAfter] != nil, "\(index)")
        }
        // A page loads itself again; a form is not sent again.
        let page = try await client.get("/console/production/subscriptions/\(purchase.id)")
        #expect(page.status == 503 && page.headers[.refresh] == page.headers[.retryAfter])
        #expect(page.headers[.refresh] != nil)
        let ledger = try host.ledger(.production).ledger
        #expect(try await ledger.log.head().position == 1)
        #expect(try await ledger.operations.quarantineCount() == 0)
    }

    /// The same, shown by one delivery.
    private static func expectStopped(
        _ client: WebClient, _ host: LedgerHost, _ purchase: MadePurchase
    ) async throws {
        let answer = try await client.notify(purchase.notificationBody(1))
        #expect(answer.status == 503 && answer.code == "clockJumped")
        #expect(try await host.end() == 1)
    }

    @Test(
        "A jump stops what depends on the clock and shows in readiness and gauge, until corrected"
    )
    func back() async throws {
        try await place().serve { (client: WebClient, host: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
            #expect(try await Self.jumped(client) == 0)
            clock.set(ServedPlace.now.advanced(byMilliseconds: 5 * Self.hour))
            try await Self.requireStopped(client, host, purchase)
            #expect(try await Self.jumped(client) == 5 * 3_600)
            let ready = try await client.get("/readyz")
            #expect(ready.status == 503)
            #expect(ready.json["problems"]?.array?.map { $0["code"]?.string } == ["clockJumped"])
            #expect(try await client.get("/healthz").status == 200)
            // Past states and the log are still served.
            let path = "/v1/subscriptions/\(purchase.id)?minPosition=1"
            let show = try await client.ask(path + "&at=\(ServedPlace.now.rfc3339)")
            #expect(show.status == 200)
            #expect(try await client.get("/v1/events").status == 200)
            #expect(codes.all.count { $0 == "clockTrusted" } == 0)
            clock.set(ServedPlace.now)
            #expect(try await client.get("/readyz").status == 200)
            #expect(try await Self.jumped(client) == 0)
            #expect(try await client.notify(purchase.notificationBody(1)).status == 200)
            #expect(try await client.ask(path).status == 200)
            let event = try await host.ledger(.production).ledger.log.event(at: 2)
            #expect(event?.event.receivedAt == ServedPlace.now)
            // Refused deliveries with the same code are logged separately.
            #expect(codes.all.count { $0 == "clockTrusted" } == 1)
            #expect(codes.all.contains("clockJumped"))
        }
    }

    @Test("A form that cannot even be shown keeps what was typed until it can")
    func form() async throws {
        let path = "/console/production/customers/ann/note"
        try await place().serve { (client: WebClient, host: LedgerHost) async throws in
            // given
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
            _ = try await host.ledger(.production).snapshot(atLeast: 1, limit: .seconds(120))
            clock.set(ServedPlace.now.advanced(byMilliseconds: 5 * Self.hour))
            // when
            let sent = try await client.submit(path, "key=k7&actor=sara&reason=ticket+7".utf8)
            // then
            let address = try #require(sent.headers[.location])
            #expect(sent.status == 303 && address.hasPrefix("\(path)?draft="))
            let away = try await client.get(address)
            #expect(away.status == 503 && away.headers[.refresh] != nil)
            // when
            clock.set(ServedPlace.now)
            let shown = try await client.get(address)
            // then
            #expect(shown.status == 200)
            for part in ["ticket 7", "value=\"k7\"", "value=\"sara\""] {
                #expect(shown.text.contains(part), "\(part)")
            }
        }
    }

    @Test(
        "What Apple signed about now confirms the clock and is dated by it; older signatures do not"
    )
    func confirmed() async throws {
        // The third period is signed when it begins.
        let signed = purchase.start(3).advanced(byMilliseconds: 3_000)
        let now = signed.advanced(byMilliseconds: 60_000)
        try await place().serve { (client: WebClient, host: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
            clock.set(now)
            try await Self.expectStopped(client, host, purchase)
            let answer = try await client.notify(purchase.notificationBody(3))
            #expect(answer.status == 200)
            let event = try await host.ledger(.production).ledger.log.event(at: 2)
            #expect(event?.event.receivedAt == now)
            #expect(try await client.get("/readyz").status == 200)
            #expect(try await client.notify(purchase.notificationBody(1)).status == 200)
        }
    }

    @Test("A clock ahead at the start, corrected before a notification, is not trusted ahead again")
    func startedAhead() async throws {
        let signed = purchase.start(1).advanced(byMilliseconds: 3_000)
        clock.set(signed.advanced(byMilliseconds: 24 * Self.hour))
        try await place().serve { (client: WebClient, host: LedgerHost) async throws in
            #expect(host.clockWatch.jumpMilliseconds == nil)
            clock.set(signed)
            #expect(try await client.notify(purchase.notificationBody(1)).status == 200)
            clock.advance(byDays: 1)
            try await Self.expectStopped(client, host, purchase)
        }
    }

    @Test("A signature ahead of the clock under another root than Apple's proves no time")
    func otherRoot() async throws {
        let signed = purchase.start(1).advanced(byMilliseconds: 3_000)
        var made = purchase
        made.id = "500000000000009"
        made.start = made.start.advanced(byMilliseconds: 2 * Self.hour)
        let ahead = made
        clock.set(signed)
        try await place().serve { (client: WebClient, host: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody(1)).status == 200)
            #expect(try await client.notify(ahead.notificationBody(1)).status == 200)
            clock.advance(byDays: -1)
            #expect(host.clockWatch.jumpMilliseconds == nil)
            // Corrected: agrees with the first signature, not with the second.
            clock.set(signed.advanced(byMilliseconds: 2 * Self.hour))
            #expect(host.clockWatch.jumpMilliseconds == 26 * Self.hour)
            clock.set(signed)
            #expect(host.clockWatch.jumpMilliseconds == nil)
        }
    }

    @Test("A restart accepts the clock it finds, whatever the log's newest arrival is")
    func restarted() async throws {
        let place = try place()
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
            clock.advance(byDays: 400)
            try await Self.expectStopped(client, host, purchase)
        }
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.get("/readyz").status == 200)
            #expect(try await client.notify(purchase.notificationBody(1)).status == 200)
        }
    }

    @Test("While the clock is ahead a request for a retention message gets none, whatever its time")
    func retention() async throws {
        // given
        var place = try place()
        let rule = RetentionRule(name: "all", message: RetentionRouteTests.message)
        place.configuration.retention = [rule]
        let ahead = ServedPlace.now.advanced(byMilliseconds: 5 * Self.hour)
        let requests = try [ServedPlace.now, ahead].map { signed in
            var payload = RetentionRequestPayload()
            payload.originalTransactionId = OriginalTransactionId(purchase.id)
            payload.appAppleId = MadePurchase.appAppleId
            payload.requestIdentifier = "0f8fad5b-d9cb-469f-a165-70867728950e"
            payload.environment = Raw(.production)
            payload.signedDate = signed
            return MadePurchase.body(try TestAuthority.signer.sign(payload.encoded()))
        }
        let path = "/appstore/retention"
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
            _ = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=1")
            let shown = try await client.post(path, requests[0])
            #expect(shown.json["message"] != nil)
            // when
            clock.set(ahead)
            // then
            for request in requests {
                let answer = try await client.post(path, request)
                #expect(answer.status == 200)
                #expect(answer.bytes == Array("{}".utf8))
            }
        }
    }

    @Test("Next to no other clock it may jump: all is accepted in order of arrival, and answered")
    func jumps() async throws {
        var place = try ServedPlace.single()
        place.clock = { clock.now }
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
