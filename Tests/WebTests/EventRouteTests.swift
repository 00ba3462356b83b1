import AppStore
import LedgerStore
import Service
import Testing

@testable import Web

@Suite("The log by position")
struct EventRouteTests {
    private let purchase = MadePurchase()

    @Test("A consumer that follows next sees every event once, in order")
    func contiguous() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for period in 0..<5 {
                _ = try await client.notify(purchase.notificationBody(period))
            }
            var (after, seen): (Int64, [Int64]) = (0, [])
            while true {
                let page = try await client.get("/v1/events?after=\(after)&limit=2").json
                let positions = page["events"]?.array?.compactMap { $0["position"]?.int64 } ?? []
                if positions.isEmpty { break }
                seen += positions
                after = try #require(page["next"]?.int64)
            }
            #expect(seen == [1, 2, 3, 4, 5])
            #expect(after == 5)
        }
    }

    @Test("Other apps' events are omitted, and next skips them")
    func otherApps() async throws {
        try await ServedPlace(apps: [MadePurchase.app, "com.example.second"]).serve {
            (client: WebClient, _: LedgerHost) async throws in
            var other = purchase
            other.bundleId = "com.example.second"
            other.id = "500000000000002"
            _ = try await client.notify(purchase.notificationBody())
            _ = try await client.notify(other.notificationBody())
            let page = try await client.get("/v1/events?bundleId=\(MadePurchase.app)").json
            #expect(page["events"]?.array?.count == 1)
            #expect(page["next"]?.int64 == 2)
        }
    }

    @Test("Evidence is included only on request")
    func evidence() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            _ = try await client.notify(purchase.notificationBody())
            let plain = try await client.get("/v1/events").json["events"]?.array?.first
            #expect(plain?["signedPayload"] == nil)
            let whole = try await client.get("/v1/events?evidence=true").json["events"]?.array
            #expect(whole?.first?["signedPayload"]?.string?.contains(".") == true)
        }
    }

    @Test(
        "A page has at most a thousand events",
        arguments: [
            ("1000", 200), ("1001", 400), ("1", 200), ("0", 400), ("-1", 400), ("ten", 400),
        ])
    func limits(limit: String, status: Int) async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.get("/v1/events?limit=\(limit)").status == status)
        }
    }

    @Test(
        "An invalid cursor is a 400",
        arguments: ["after=-1", "after=x", "after=", "after=9223372036854775808", "at=0"])
    func cursors(query: String) async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.get("/v1/events?\(query)").status == 400)
        }
    }

    @Test("A cursor at the end is an empty page, one beyond it belongs to another log")
    func beyond() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.notify(MadePurchase().notificationBody(0)).status == 200)
            let page = try await client.get("/v1/events?after=1").json
            #expect(page["events"]?.array?.isEmpty == true)
            #expect(page["next"]?.int64 == 1)
            for cursor in ["2", "9223372036854775807"] {
                let answer = try await client.get("/v1/events?after=\(cursor)")
                #expect(answer.status == 400)
                #expect(answer.code == "cursorBeyondLog")
            }
        }
    }
}
