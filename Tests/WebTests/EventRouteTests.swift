import AppStore
import HTTPTypes
import LedgerStore
import Queries
import Service
import Testing

@testable import Web

@Suite("The log by position")
struct EventRouteTests {
    private let purchase = MadePurchase()

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

    // MARK: Backwards and filtered

    @Test("A page has at most 1,000 events; an invalid cursor, place or condition is refused")
    func conditions() async throws {
        let cases = [
            ("limit=1000", nil), ("limit=1001", "invalidParameter"), ("limit=1", nil),
            ("limit=0", "invalidParameter"), ("limit=-1", "invalidParameter"),
            ("limit=ten", "invalidParameter"), ("after=-1", "invalidParameter"),
            ("after=x", "invalidParameter"), ("after=", "invalidParameter"),
            ("after=9223372036854775808", "invalidParameter"), ("at=0", "unknownParameter"),
            ("kinds=push", "invalidParameter"), ("kinds=Notification", "invalidParameter"),
            ("kinds=notification,,x", "invalidParameter"), ("before=-1", "invalidParameter"),
            ("before=x", "invalidParameter"), ("before=01", "invalidParameter"),
            ("before=2&after=1", "invalidParameter"), ("receivedFrom=soon", "invalidTime"),
            ("receivedTo=", "invalidTime"), ("type=EXPIRED", "unknownParameter"),
        ]
        try await ServedPlace.single().serve { (client: WebClient, _: LedgerHost) async throws in
            for (query, code) in cases {
                let answer = try await client.get("/v1/events?\(query)")
                #expect(answer.status == (code == nil ? 200 : 400), "\(query)")
                #expect(answer.code == code, "\(query)")
            }
        }
    }

    private static func positions(_ page: JSONValue) -> [Int64] {
        page["events"]?.array?.compactMap { $0["position"]?.int64 } ?? []
    }

    @Test("In both directions pages hold every event once, in order, with evidence only on request")
    func contiguous() async throws {
        try await ServedPlace.single().serve { (client: WebClient, host: LedgerHost) async throws in
            let empty = try await client.get("/v1/events?before=5").json
            #expect(EventRouteTests.positions(empty) == [] && empty["next"]?.isNull == true)
            for period in 0..<5 {
                _ = try await client.notify(purchase.notificationBody(period))
            }
            var (after, followed): (Int64, [Int64]) = (0, [])
            while true {
                let page = try await client.get("/v1/events?after=\(after)&limit=2").json
                let positions = EventRouteTests.positions(page)
                if positions.isEmpty { break }
                followed += positions
                after = try #require(page["next"]?.int64)
            }
            #expect(followed == [1, 2, 3, 4, 5] && after == 5)
            // One past the end is a cursor of another log.
            for cursor in ["6", "9223372036854775807"] {
                let answer = try await client.get("/v1/events?after=\(cursor)")
                #expect(answer.status == 400 && answer.code == "cursorBeyondLog")
            }
            let plain = try await client.get("/v1/events").json["events"]?.array?.first
            #expect(plain?["signedPayload"] == nil)
            let whole = try await client.get("/v1/events?evidence=true").json["events"]?.array
            #expect(whole?.first?["signedPayload"]?.string?.contains(".") == true)
            for limit in [1, 2, 5, 6] {
                for evidence in ["", "&evidence=true"] {
                    var (before, seen): (Int64?, [Int64]) = (.max, [])
                    while let start = before {
                        let page = try await client.get(
                            "/v1/events?before=\(start)&limit=\(limit)\(evidence)"
                        ).json
                        seen += EventRouteTests.positions(page)
                        before = page["next"]?.int64
                        #expect(seen.count <= 5)
                    }
                    #expect(seen == [5, 4, 3, 2, 1])
                }
            }
            let start = try await client.get("/v1/events?before=1").json
            #expect(EventRouteTests.positions(start) == [] && start["next"]?.isNull == true)
            let page = try await host.eventPage(QueryScope(), from: .before(nil), limit: 2)
            #expect(page.events.map(\.position) == [5, 4])
            #expect(page.next == 4 && page.head == 5)
        }
    }

    @Test("Conditions combine, in both directions")
    func filtered() async throws {
        try await ServedPlace.single().serve { (client: WebClient, host: LedgerHost) async throws in
            for period in 0..<3 {
                _ = try await client.notify(purchase.notificationBody(period))
            }
            let note = try await client.send(
                .post, "/v1/customers/ann/notes", [.actor: "sara", .reason: "called"])
            #expect(note.status == 200)
            let all = try await client.get("/v1/events").json["events"]?.array ?? []
            let type = try #require(all.last { $0["notificationType"]?.string != nil })
            let name = try #require(type["notificationType"]?.string)
            let named = all.filter { $0["notificationType"]?.string == name }
                .compactMap { $0["position"]?.int64 }
            func ask(_ query: String) async throws -> [Int64] {
                let forward = EventRouteTests.positions(
                    try await client.get("/v1/events?\(query)").json)
                let back = EventRouteTests.positions(
                    try await client.get("/v1/events?\(query)&before=99&evidence=true").json)
                #expect(back == forward.reversed())
                return forward
            }
            #expect(try await ask("types=\(name)") == named)
            #expect(try await ask("types=NO_SUCH_TYPE") == [])
            #expect(try await ask("types=SUBSCRIBED%2FINITIAL_BUY") == [1])
            #expect(try await ask("types=SUBSCRIBED%2FRESUBSCRIBE") == [])
            #expect(try await ask("types=command,%20NO_SUCH_TYPE") == [4])
            #expect(try await ask("types=NO_SUCH_TYPE,%20") == [])
            #expect(try await ask("kinds=command") == [4])
            #expect(try await ask("kinds=command,notification") == [1, 2, 3, 4])
            #expect(try await ask("kinds=command&types=\(name)") == [])
            let at = ServedPlace.now.milliseconds
            #expect(try await ask("receivedFrom=\(at)") == [1, 2, 3, 4])
            #expect(try await ask("receivedFrom=\(at + 1)") == [])
            #expect(try await ask("receivedTo=\(at + 1)") == [1, 2, 3, 4])
            #expect(try await ask("receivedTo=\(at)") == [])
            #expect(try await ask("bundleId=\(MadePurchase.app)&kinds=notification") == [1, 2, 3])
            let none = try await client.get("/v1/events?types=NO_SUCH_TYPE").json
            #expect(none["next"]?.int64 == 4)
        }
    }
}
