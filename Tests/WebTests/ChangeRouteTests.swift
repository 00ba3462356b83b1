import AppStore
import Foundation
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Testing

@testable import Service
@testable import Web

@Suite("GET /v1/changes")
struct ChangeRouteTests {
    @Test("an invalid cursor, name of a change, parameter or environment is refused")
    func refused() async throws {
        let cases = [
            ("after=x", "invalidCursor"), ("after=", "invalidCursor"),
            ("after=1-2-3", "invalidCursor"), ("after=99", "cursorBeyondLog"),
            ("after=00", "invalidCursor"), ("after=0-03", "invalidCursor"),
            ("after=%2B0", "invalidCursor"), ("after=%200", "invalidCursor"),
            ("after=9223372036854775807", "cursorBeyondLog"),
            ("after=9223372036854775808", "invalidCursor"),
            ("types=Expired", "invalidParameter"), ("types=", "invalidParameter"),
            ("limit=5", "unknownParameter"), ("environment=mars", "unknownEnvironment"),
            ("environment=xcode", "environmentNotServed"),
        ]
        try await ServedPlace().serve { client, _ in
            for (query, code) in cases {
                let answer = try await client.get("/v1/changes?\(query)")
                #expect(answer.status == (code == "environmentNotServed" ? 404 : 400), "\(query)")
                #expect(answer.code == code, "\(query)")
            }
        }
    }

    @Test("a stream is of its app and environment; a change names the last one of its types")
    func filtered() async throws {
        // given
        let (first, name) = (MadePurchase(), "com.example.other")
        let second = MadePurchase(id: "600000000000001", bundleId: name)
        let sandbox = MadePurchase(id: "700000000000001", environment: .sandbox)
        try await ServedPlace(apps: [first.bundleId, name]).serve(.live) { client, _ in
            let port = try #require(client.client.port)
            let bodies = [
                try first.notificationBody(0), try sandbox.notificationBody(0),
                try second.notificationBody(0), try second.notificationBody(1),
            ]
            for body in bodies {
                let answer = try await client.notify(body)
                #expect(answer.status == 200)
            }
            // when
            let app = "/v1/changes?after=0&types=started,renewed&bundleId=\(name)"
            try await StreamReader.open(port: port, app) { stream in
                // then
                #expect(await stream.wait(for: "event: renewed\n"))
                #expect(await stream.wait(for: "\"\(second.transactionId(1))\""))
                #expect(stream.text.contains("\"previous\":{\"sequence\":1,"))
                #expect(!stream.text.contains("\"\(first.id)\""))
            }
            let other = "/v1/changes?after=0&types=started&environment=sandbox"
            try await StreamReader.open(port: port, other) { stream in
                #expect(await stream.wait(for: "\"sequence\":"))
                #expect(stream.text.contains("\"originalTransactionId\":\"\(sandbox.id)\""))
            }
        }
    }

    @Test("a silence of 15 seconds ends with an id, and 100 streams are open at once at most")
    func usual() {
        let rules = StreamRules()
        #expect(rules.heartbeat == .seconds(15))
        #expect(rules.slots.limit == 100)
    }

    @Test("everything from the beginning, then live changes, under ids that resume")
    func streams() async throws {
        try await ServedPlace().serve(.live) { client, _ in
            let port = try #require(client.client.port)
            let purchase = MadePurchase()
            #expect(try await client.notify(purchase.notificationBody(0)).status == 200)
            try await StreamReader.open(port: port, "/v1/changes?after=0") { stream in
                #expect(await stream.wait(for: "event: started\n"))
                #expect(stream.text.contains("text/event-stream"))
                #expect(stream.text.contains("id: 1-0\n"))
                let posted = try await client.notify(purchase.notificationBody(1))
                #expect(posted.status == 200)
                #expect(await stream.wait(for: "event: renewed\n"))
            }
            let headers = ["Last-Event-ID: 1-0"]
            // The header takes precedence over the parameter.
            for path in ["/v1/changes", "/v1/changes?after=0"] {
                try await StreamReader.open(port: port, path, headers: headers) { stream in
                    #expect(await stream.wait(for: "event: renewed\n"))
                    #expect(!stream.text.contains("event: started\n"))
                }
            }
            let query = "/v1/changes?after=0&types=renewed"
            try await StreamReader.open(port: port, query) { stream in
                #expect(await stream.wait(for: "event: renewed\n"))
                #expect(!stream.text.contains("event: started\n"))
            }
        }
    }

    @Test("a subscriber whose filter skips whole pages gets its position after each of them")
    func filteredPages() async throws {
        var place = try ServedPlace()
        place.streams.heartbeat = .zero
        try await place.serve(.live) { client, host in
            let port = try #require(client.client.port)
            let count = FeedLimits.pageEventCount + 1
            // A change is the last of each page; the others are events without a change.
            let log = try host.ledger(.production).ledger.log
            _ = try await log.append(
                (0..<count - 2).map {
                    try LastArrivalTests.upload("\($0)", log, at: ServedPlace.now)
                })
            for id in ["500000000000001", "500000000000002"] {
                let posted = try await client.notify(MadePurchase(id: id).notificationBody(0))
                #expect(posted.status == 200)
            }
            #expect(try await host.end() == Int64(count))
            let path = "/v1/changes?after=0&types=refunded"
            try await StreamReader.open(port: port, path) { stream in
                #expect(await stream.wait(for: "id: \(FeedLimits.pageEventCount)-"))
                #expect(await stream.wait(for: "id: \(count)-"))
                #expect(!stream.text.contains("data: "))
            }
        }
    }

    @Test(
        "without a cursor nothing earlier is sent; who leaves before the first change misses none")
    func fromNowOn() async throws {
        var place = try ServedPlace()
        place.streams.heartbeat = .seconds(3_600)
        try await place.serve(.live) { client, _ in
            let port = try #require(client.client.port)
            let (purchase, other) = (MadePurchase(), MadePurchase(id: "600000000000001"))
            #expect(try await client.notify(purchase.notificationBody(0)).status == 200)
            let id = try await StreamReader.open(port: port, "/v1/changes") { stream in
                #expect(await stream.wait(for: "id: "))
                #expect(await stream.wait(for: ": begins here\n\n"))
                #expect(!stream.text.contains("data: "))
                return stream.text.components(separatedBy: "id: ").last.flatMap {
                    $0.split(separator: "\n").first.map(String.init)
                }
            }
            #expect(try await client.notify(purchase.notificationBody(1)).status == 200)
            let headers = ["Last-Event-ID: \(try #require(id))"]
            try await StreamReader.open(port: port, "/v1/changes", headers: headers) { stream in
                #expect(await stream.wait(for: "event: renewed\n"))
                #expect(!stream.text.contains("event: started\n"))
            }
            try await StreamReader.open(port: port, "/v1/changes") { stream in
                #expect(await stream.wait(for: "retry: "))
                let posted = try await client.notify(other.notificationBody(0))
                #expect(posted.status == 200)
                #expect(await stream.wait(for: other.id))
                #expect(!stream.text.contains(purchase.id))
            }
        }
    }

    @Test(
        "changes of several chains by one event are all sent, under one id that resumes after them"
    )
    func severalChains() async throws {
        let purchase = MadePurchase()
        var other = purchase
        other.id = "600000000000001"
        let ids = [purchase.id, other.id]
        let receipt = MadeReceipt.body(try MadeReceipt.base64([purchase, other], periods: 1))
        var place = try ServedPlace()
        place.roots = MadeReceipt.roots
        try await place.serve(.live) { client, _ in
            let port = try #require(client.client.port)
            #expect(try await client.post("/v1/receipts", receipt).status == 200)
            try await StreamReader.open(port: port, "/v1/changes?after=0&types=started") { stream in
                #expect(await stream.wait(for: "id: 1-0\n"))
                #expect(await stream.wait(for: ids[1]))
                let events = stream.text.components(separatedBy: "event: started\n").dropFirst()
                #expect(events.count == 2)
                for (id, event) in zip(ids, events) {
                    #expect(event.contains("\"originalTransactionId\":\"\(id)\""))
                    #expect(event.contains("\"sequence\":1"))
                }
                // A subscriber that leaves after the first resumes before it.
                let head = stream.text.components(separatedBy: ids[0])[0]
                #expect(!head.contains("id: 1-0"))
            }
            let renewed = try await client.notify(purchase.notificationBody(1))
            #expect(renewed.status == 200)
            let headers = ["Last-Event-ID: 1-0"]
            try await StreamReader.open(port: port, "/v1/changes", headers: headers) { stream in
                #expect(await stream.wait(for: "event: renewed\n"))
                #expect(!stream.text.contains("event: started\n"))
            }
        }
    }

    @Test("a subscriber that disconnects frees its slot at once, not at the next heartbeat")
    func left() async throws {
        var place = try ServedPlace()
        place.streams = StreamRules(slots: SharedBudget(limit: 1), heartbeat: .seconds(3_600))
        try await place.serve(.live) { client, _ in
            let port = try #require(client.client.port)
            for _ in 0..<3 {
                // Another subscriber is refused while there is one, and admitted once that one has
                // left.
                var isTaken = false
                while !isTaken {
                    isTaken = try await StreamReader.open(port: port, "/v1/changes") { stream in
                        let isOpen = await stream.wait(for: "\r\n\r\n")
                        guard isOpen, stream.text.hasPrefix("HTTP/1.1 200 ") else { return false }
                        #expect(await stream.wait(for: "retry: "))
                        let other = try await client.get("/v1/changes")
                        #expect(other.code == "tooManyStreams")
                        return true
                    }
                }
            }
        }
    }

    @Test("a subscriber that closes only its sending side is still served")
    func halfClosed() async throws {
        var place = try ServedPlace()
        place.streams.heartbeat = .seconds(3_600)
        try await place.serve(.live) { client, _ in
            let port = try #require(client.client.port)
            try await StreamReader.open(port: port, "/v1/changes?after=0") { stream in
                #expect(await stream.wait(for: "retry: "))
                try await stream.endOutput()
                #expect(await stream.wait(for: ": still here"))
                let posted = try await client.notify(MadePurchase().notificationBody(0))
                #expect(posted.status == 200)
                #expect(await stream.wait(for: "event: started\n"))
            }
        }
    }
    @Test("changes by the clock at the last position are sent to a subscriber that starts after it")
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
