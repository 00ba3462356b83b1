import AppStore
import HTTPTypes
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Testing

@testable import Service
@testable import Web

@Suite("Links and grants")
struct DecisionRouteTests {
    private let purchase = MadePurchase()
    private let until = "2030-01-31T00:00:00.000Z"

    private func grant(_ entitlement: String = "gold", until: String? = nil) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.member("entitlement", entitlement)
            $0.member("until", until ?? self.until)
        }
        return json.bytes
    }

    private var link: String { "/v1/customers/ann/subscriptions/\(purchase.id)" }

    /// A chain without a customer.
    private func bought(
        waitLimit: Duration? = nil,
        _ body: @escaping @Sendable (WebClient, LedgerHost) async throws -> Void
    ) async throws {
        var place = try ServedPlace()
        place.waitLimit = waitLimit ?? place.waitLimit
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            // However long the first opening takes here.
            for ledger in host.ledgers { _ = try await ledger.snapshot(limit: .seconds(120)) }
            for period in 0...2 {
                _ = try await client.notify(purchase.notificationBody(period))
            }
            try await body(client, host)
        }
    }

    private func active(_ answer: WebClient.Answer) -> [String] {
        (answer.json["entitlements"]?.array ?? []).filter { $0["active"]?.bool == true }
            .compactMap { $0["entitlement"]?.string }
    }

    @Test("A decision that waits for the projector leaves the turn to others")
    func waiting() async throws {
        try await bought { client, host in
            let served = try host.ledger(.production)
            var lock: ProjectorLock? = try await ProjectorLock.held(
                directory: served.ledger.directory)
            var other = MadePurchase()
            other.id = "500000000000777"
            #expect(try await client.notify(other.notificationBody()).status == 200)
            try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask { try await client.send(.put, link, .decision()).status }
                while !served.board.isAwaited { await Task.yield() }
                let end = try await served.decisions.pass { try await host.end() }
                #expect(end == 4)
                withExtendedLifetime(lock) {}
                lock = nil
                for try await status in group { #expect(status == 200) }
            }
            #expect(try await host.end() == 5)
        }
    }

    @Test("A link is in the log before the response, which shows its effect")
    func linked() async throws {
        try await bought { client, host in
            let answer = try await client.send(.put, link, .decision())
            #expect(answer.status == 200)
            #expect(try await host.end() == 4)
            #expect(answer.json["customer"]?.string == "ann")
            #expect(answer.json["position"]?.int64 == 4)
            #expect(active(answer) == ["com.example.pro.monthly"])
            let decision = answer.json["decision"]
            #expect(decision?["command"]?.string == "link")
            #expect(decision?["actor"]?.string == "sara")
            #expect(decision?["reason"]?.string == "ticket 7")
            #expect(decision?["position"]?.int64 == 4)
            let asked = try await client.ask("/v1/customers/ann/entitlements?minPosition=4")
            #expect(asked.json["entitlements"] == answer.json["entitlements"])
            let taken = try await client.send(.delete, link, .decision())
            #expect(taken.status == 200)
            #expect(active(taken).isEmpty)
            #expect(taken.json["standing"]?.string == "inactive")
            let again = try await client.send(.delete, link, .decision())
            #expect(again.status == 404 && again.code == "notLinked")
            #expect(try await host.end() == 5)
        }
    }

    @Test("A grant holds until it is withdrawn, which works once")
    func granted() async throws {
        try await bought { client, host in
            let answer = try await client.post("/v1/customers/ann/grants", grant(), .decision())
            #expect(answer.status == 200)
            #expect(active(answer) == ["gold"])
            let id = try #require(answer.json["decision"]?["grantId"]?.string)
            let path = "/v1/customers/ann/grants/\(id)"
            let other = try await client.send(
                .delete, "/v1/customers/bob/grants/\(id)", .decision())
            #expect(other.code == "noSuchGrant")
            let taken = try await client.send(.delete, path, .decision())
            #expect(taken.status == 200)
            #expect(active(taken).isEmpty)
            let again = try await client.send(.delete, path, .decision())
            #expect(again.status == 404 && again.code == "noSuchGrant")
            #expect(try await host.end() == 5)
        }
    }

    @Test("Under one key the same request gets the same response, later too, and another a 422")
    func repeated() async throws {
        try await bought { client, host in
            let key = HTTPFields.decision(key: "k-1")
            let first = try await client.send(.put, link, key)
            #expect(first.headers[.idempotencyReplayed] == nil)
            let grant = try await client.post(
                "/v1/customers/ann/grants", grant(), .decision(key: "g"))
            let others: [WebClient.Answer] = [
                try await client.send(.delete, link, key),
                try await client.send(.put, link, .decision(key: "k-1", reason: "another")),
                try await client.post("/v1/customers/ann/grants", self.grant(), key),
            ]
            for answer in others {
                #expect(answer.status == 422 && answer.code == "idempotencyKeyReused")
            }
            #expect(try await host.end() == 5)
            _ = try await client.send(.delete, link, .decision(key: "u"))
            let end = try await host.end()
            let again = try await client.send(.put, link, key)
            #expect(again.status == 200)
            #expect(again.bytes == first.bytes)
            #expect(again.headers[.idempotencyReplayed] == "true")
            let regrant = try await client.post(
                "/v1/customers/ann/grants", self.grant(), .decision(key: "g"))
            #expect(regrant.bytes == grant.bytes)
            #expect(try await host.end() == end)
        }
    }

    @Test("Concurrent requests under one key are one event")
    func together() async throws {
        try await bought { client, host in
            let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await client.post(
                            "/v1/customers/ann/grants", grant(), .decision(key: "one")
                        ).bytes
                    }
                }
                return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
            }
            #expect(bodies.count == 1)
            #expect(try await host.end() == 4)
        }
    }

    @Test("Without one author, reason, known chain and served environment nothing is written")
    func words() async throws {
        try await bought { client, host in
            let long = { (count: Int) in String(repeating: "x", count: count) }
            let refused: [(HTTPFields, String)] = [
                (HTTPFields.decision(actor: nil), "invalidActor"),
                (HTTPFields.decision(actor: ""), "invalidActor"),
                (HTTPFields.decision(reason: nil), "invalidReason"),
                (HTTPFields.decision(reason: " "), "invalidReason"),
                (HTTPFields.decision(key: ""), "invalidIdempotencyKey"),
            ]
            for (fields, code) in refused {
                for method in [HTTPRequest.Method.put, .delete] {
                    let answer = try await client.send(method, link, fields)
                    #expect(answer.status == 400 && answer.code == code)
                }
                let answer = try await client.post("/v1/customers/ann/grants", grant(), fields)
                #expect(answer.status == 400 && answer.code == code)
            }
            var twice = HTTPFields.decision()
            twice.append(HTTPField(name: .actor, value: "bob"))
            #expect(try await client.send(.put, link, twice).code == "invalidActor")
            var keys = HTTPFields.decision(key: "a")
            keys.append(HTTPField(name: .idempotencyKey, value: "b"))
            #expect(try await client.send(.put, link, keys).code == "invalidIdempotencyKey")
            // Where the projections are behind, a missing chain may still appear.
            let served = try host.ledger(.production)
            _ = try await served.snapshot(atLeast: 3, limit: .seconds(120))
            let cases: [(String, Int, String)] = [
                ("/v1/customers/ann/subscriptions/1", 404, "noSuchSubscription"),
                ("\(link)?bundleId=com.example.other", 404, "noSuchSubscription"),
                ("\(link)?environment=sandbox", 404, "noSuchSubscription"),
                ("\(link)?environment=xcode", 404, "environmentNotServed"),
                ("\(link)?at=1", 400, "unknownParameter"),
                ("/v1/customers/%00/subscriptions/\(purchase.id)", 400, "invalidPath"),
                ("/v1/customers/%C2%85/subscriptions/\(purchase.id)", 400, "invalidCustomer"),
            ]
            for (path, status, code) in cases {
                for method in [HTTPRequest.Method.put, .delete] {
                    let answer = try await client.send(method, path, .decision())
                    #expect(answer.status == status && answer.code == code, "\(path)")
                }
            }
            #expect(try await host.end() == 3)
            let widest = HTTPFields.decision(
                key: long(CommandLimits.idByteCount), actor: long(CommandLimits.actorByteCount),
                reason: long(CommandLimits.reasonByteCount))
            #expect(try await client.send(.put, link, widest).status == 200)
        }
    }

    @Test("An invalid grant is refused with its code")
    func noGrant() async throws {
        let cases = [
            ("", "malformedJSON"), ("{}", "invalidBody"),
            ("{\"entitlement\":1,\"until\":1}", "invalidBody"),
            ("{\"entitlement\":\"gold\"}", "invalidTime"),
            ("{\"entitlement\":\"gold\",\"until\":\"soon\"}", "invalidTime"),
            ("{\"entitlement\":\"gold\",\"until\":true}", "invalidTime"),
            ("{\"entitlement\":\"gold\",\"until\":1774000000000}", "invalidTime"),
            ("{\"entitlement\":\"\",\"until\":1974000000000}", "invalidEntitlement"),
            (
                "{\"entitlement\":\"gold\",\"until\":1974000000000,\"dryRun\":true}", "invalidBody"
            ),
        ]
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for (body, code) in cases {
                let path = "/v1/customers/ann/grants"
                let answer = try await client.post(path, Array(body.utf8), .decision())
                #expect(answer.status == 400 && answer.code == code, "\(body)")
                #expect(try await host.end() == 0, "\(body)")
            }
        }
    }

    @Test("A grant at the limits is accepted, one past them is not")
    func grantBounds() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            let path = "/v1/customers/ann/grants"
            for excess in [0, 1] {
                let name = String(
                    repeating: "e", count: CommandLimits.entitlementByteCount + excess)
                let answer = try await client.post(path, grant(name), .decision())
                #expect(answer.status == (excess == 0 ? 200 : 400))
                // One millisecond after now ends in the future, now does not.
                let soon = ServedPlace.now.advanced(byMilliseconds: excess == 0 ? 1 : 0).rfc3339
                let short = try await client.post(path, grant("x", until: soon), .decision())
                #expect(short.status == (excess == 0 ? 200 : 400))
                let padding = String(
                    repeating: " ", count: GrantBody.maximumByteCount + excess - grant().count)
                let padded = try await client.post(
                    path, grant() + Array(padding.utf8), .decision())
                #expect(padded.status == (excess == 0 ? 200 : 413))
                #expect(try await host.end() == 3, "\(excess)")
            }
        }
    }

    @Test("Any transaction id of a chain names it, and a link overrides a token's customer")
    func token() async throws {
        var purchase = purchase
        purchase.appAccountToken = "F3A86F0D-52BE-4C53-8F0E-7D9B1C44D033"
        let bought = purchase
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for period in 0...2 { _ = try await client.notify(bought.notificationBody(period)) }
            let holder = "/v1/customers/\(bought.appAccountToken ?? "")"
            let own = "\(holder)/subscriptions/\(bought.id)"
            #expect(try await client.send(.delete, own, .decision()).code == "notLinked")
            let path = "/v1/customers/ann/subscriptions/\(bought.transactionId(1))"
            let answer = try await client.send(.put, path, .decision())
            #expect(active(answer) == ["com.example.pro.monthly"])
            let before = try await client.ask("\(holder)/entitlements?minPosition=4")
            #expect(active(before).isEmpty)
        }
    }

    @Test("Responses do not wait for a stalled projector")
    func standingStill() async throws {
        try await bought(waitLimit: ServedPlace.briefWait) { client, host in
            let served = try host.ledger(.production)
            _ = try await served.snapshot(atLeast: 3, limit: .seconds(120))
            let lock = try await ProjectorLock.held(directory: served.ledger.directory)
            defer { withExtendedLifetime(lock) {} }
            // One link that is not projected, then a grant: its response shows both.
            let linked = try await client.send(.put, link, .decision())
            #expect(linked.status == 200)
            #expect(active(linked) == ["com.example.pro.monthly"])
            let answer = try await client.post("/v1/customers/ann/grants", grant(), .decision())
            #expect(active(answer) == ["com.example.pro.monthly", "gold"])
            let upload = try await client.post(
                "/v1/transactions", purchase.uploadBody(2, customer: "ann"))
            #expect(upload.json["claim"]?.string == "held")
            #expect(active(upload) == ["com.example.pro.monthly", "gold"])
            #expect(served.projectedPosition == 3)
        }
    }

    @Test("A command is answered as the last of 1,000 unprojected events; further behind, none is")
    func farBehind() async throws {
        try await bought(waitLimit: ServedPlace.briefWait) { client, host in
            // given
            let served = try host.ledger(.production)
            _ = try await served.snapshot(atLeast: 3, limit: .seconds(120))
            let lock = try await ProjectorLock.held(directory: served.ledger.directory)
            defer { withExtendedLifetime(lock) {} }
            for part in [0..<500, 500..<999] {
                _ = try await served.append(
                    part.map { try Sample.command("n\($0)", Array("\"n\($0)\"".utf8)) })
            }
            // when
            let linked = try await client.send(.put, link, .decision())
            let granted = try await client.post("/v1/customers/ann/grants", grant(), .decision())
            let end = try await host.end()
            let upload = try await client.post("/v1/transactions", purchase.uploadBody(2))
            // then
            #expect(linked.status == 200)
            #expect(active(linked) == ["com.example.pro.monthly"])
            #expect(granted.status == 503 && granted.code == "projectionBehind")
            #expect(end == 3 + 1_000)
            // Unlike a command, a transaction is written.
            #expect(upload.status == 503 && upload.code == "projectionBehind")
            let written = try await host.end()
            #expect(written == end + 1)
        }
    }
}
