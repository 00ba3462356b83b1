import AppStore
import HTTPTypes
import Queries
import Service
import Testing

@testable import Web

@Suite("Queries about one subscription")
struct SubscriptionRouteTests {
    private let purchase = MadePurchase()

    @Test("The response equals the command's, by any transaction id; parameters query the past")
    func same() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let snapshot = try await host.ledger(.production).snapshot()
            let reading = try await snapshot.reading(
                purchase.id, moment: host.moment(QueryScope()))
            var json = JSONWriter()
            reading.write(to: &json)
            #expect(try await client.get("/v1/subscriptions/\(purchase.id)").bytes == json.bytes)
            let id = purchase.transactionId(1)
            let byTransaction = try await snapshot.reading(
                id, moment: host.moment(QueryScope()))
            var other = JSONWriter()
            byTransaction.write(to: &other)
            let asked = try await client.get("/v1/subscriptions/\(id)")
            #expect(asked.bytes == other.bytes)
            #expect(asked.json["transaction"]?["transactionId"]?.string == id)
            var timeline = JSONWriter()
            reading.writeTimeline(to: &timeline)
            let answer = try await client.get("/v1/subscriptions/\(purchase.id)/timeline")
            #expect(answer.bytes == timeline.bytes)
            let path = "/v1/subscriptions/\(purchase.id)"
            let early = purchase.start.advanced(byMilliseconds: 10_000).rfc3339
            let then = try await client.get("\(path)?at=\(early)")
            #expect(then.json["state"]?.string == "subscribed")
            #expect(then.json["at"]?.string == early)
            let known = try await client.get("\(path)?knownPosition=1")
            #expect(known.json["position"]?.int64 == 1)
            #expect(known.json["transactionId"]?.string == purchase.id)
            let before = purchase.start.advanced(byMilliseconds: -1).milliseconds
            let none = try await client.get("\(path)?at=\(before)")
            #expect(none.status == 404 && none.code == "noSuchSubscription")
        }
    }

    @Test("An invalid parameter or id is a 400 with its code, an unknown id a 404")
    func badParameters() async throws {
        let cases = [
            ("at=yesterday", "invalidTime"), ("knownAt=", "invalidTime"),
            ("knownPosition=-1", "invalidParameter"),
            ("knownPosition=1.5", "invalidParameter"), ("minPosition=x", "invalidParameter"),
            ("minPosition=99999999999999999999", "invalidParameter"),
            ("minPosition=9223372036854775808", "invalidParameter"),
            ("minPosition=%2B5", "invalidParameter"), ("minPosition=+5", "invalidParameter"),
            ("minPosition=%205", "invalidParameter"), ("minPosition=05", "invalidParameter"),
            ("knownPosition=-0", "invalidParameter"), ("knownPosition=", "invalidParameter"),
            ("knownPosition=00", "invalidParameter"),
            ("knownPosition=%D9%A5", "invalidParameter"), ("at=05", "invalidTime"),
            ("knownAt=0&knownPosition=1", "invalidParameter"),
            ("at=0&at=1", "invalidParameter"), ("knownat=0", "unknownParameter"),
            ("environment=live", "unknownEnvironment"), ("environment=%ff", "invalidParameter"),
            ("bundleId=%0a", "invalidParameter"), ("at=%4", "invalidParameter"),
        ]
        let ids = [
            ("1", 404, "noSuchSubscription"), ("%C3%A9", 404, "noSuchSubscription"),
            ("%00", 400, "invalidPath"), ("%", 400, "invalidPath"), ("%zz", 400, "invalidPath"),
            ("%ff", 400, "invalidPath"),
            (String(repeating: "7", count: PathReader.maximumByteCount), 404, "noSuchSubscription"),
            (String(repeating: "7", count: PathReader.maximumByteCount + 1), 400, "invalidPath"),
        ]
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for (id, status, code) in ids {
                let answer = try await client.get("/v1/subscriptions/\(id)")
                #expect(answer.status == status && answer.code == code, "\(id)")
            }
            for (query, code) in cases {
                for tail in ["", "/timeline", "/events"] {
                    let answer = try await client.get("/v1/subscriptions/1\(tail)?\(query)")
                    #expect(answer.status == 400 && answer.code == code, "\(query)")
                }
            }
        }
    }

    @Test("A position not reached is a 503 that states the reached one; another environment a 404")
    func behind() async throws {
        let paths = ["subscriptions/1", "customers/ann/entitlements", "customers/ann/timeline"]
        var place = try ServedPlace()
        place.waitLimit = ServedPlace.briefWait
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            for path in paths {
                let answer = try await client.get("/v1/\(path)?minPosition=1")
                #expect(answer.status == 503 && answer.code == "projectionBehind", "\(path)")
                #expect(answer.json["position"]?.int64 == 0, "\(path)")
                #expect(answer.headers[.retryAfter] == "1", "\(path)")
                let other = try await client.get("/v1/\(path)?environment=xcode")
                #expect(other.status == 404 && other.code == "environmentNotServed", "\(path)")
            }
        }
    }

    @Test("An unchanged response is a 304, also later; a changed one is sent whole")
    func entityTag() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let path = "/v1/subscriptions/\(purchase.id)"
            let first = try await client.get(path)
            let tag = try #require(first.headers[.eTag])
            #expect(tag.hasPrefix("W/\""))
            for held in [tag, "\"x\", \(tag)", String(tag.dropFirst(2)), "*"] {
                let again = try await client.get(path, [.ifNoneMatch: held])
                #expect(again.status == 304)
                #expect(again.bytes.isEmpty)
                #expect(again.headers[.eTag] == tag)
            }
            // Another chain moves the position, and nothing in this response.
            var other = purchase
            other.id = "500000000000002"
            _ = try await client.notify(other.notificationBody())
            #expect(
                try await client.ask("\(path)?minPosition=3", [.ifNoneMatch: tag]).status == 304)
            _ = try await client.notify(purchase.notificationBody(2))
            let changed = try await client.ask("\(path)?minPosition=4", [.ifNoneMatch: tag])
            #expect(changed.status == 200 && changed.headers[.eTag] != tag)
        }
    }

    @Test("The raw evidence of one chain is paged, byte for byte")
    func evidence() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            // Signatures differ each time: it is sent once, and saved here.
            let body = try purchase.notificationBody(1)
            let renewed = try #require(try JSONValue.parse(body)["signedPayload"]?.string)
            #expect(try await client.notify(purchase.notificationBody(0)).status == 200)
            #expect(try await client.notify(body).status == 200)
            var other = purchase
            other.id = "500000000000002"
            _ = try await client.notify(other.notificationBody())
            let path = "/v1/subscriptions/\(purchase.id)/events"
            let first = try await client.ask("\(path)?limit=1&minPosition=3")
            #expect(first.json["events"]?.array?.count == 1)
            #expect(first.json["next"]?.int64 == 1)
            let second = try await client.get("\(path)?limit=1&after=1")
            #expect(second.json["next"]?.isNull == true)
            let event = try #require(second.json["events"]?.array?.first)
            #expect(event["position"]?.int64 == 2)
            #expect(event["signedPayload"]?.string == renewed)
        }
    }

    @Test("An unsupported method is a 405 that lists those supported")
    func methods() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let answer = try await client.send(.delete, "/v1/subscriptions/1")
            #expect(answer.status == 405 && answer.code == "methodNotAllowed")
            #expect(answer.headers[.allow] == "GET, HEAD")
            let query = try #require(HTTPRequest.Method("QUERY"))
            #expect(try await client.send(query, "/v1/subscriptions/1").status == 405)
            for name in ["PROPFIND", "INVENTED"] {
                let other = try #require(HTTPRequest.Method(name))
                let refused = try await client.send(other, "/v1/subscriptions/1")
                #expect(refused.status == 405 && refused.code == "methodNotAllowed")
                #expect(refused.headers[.allow] == "GET, HEAD")
                #expect(try await client.send(other, "/nowhere").code == "noSuchPath")
            }
            #expect(try await client.send(.get, "/nowhere").code == "noSuchPath")
            let head = try await client.send(.head, "/healthz")
            #expect(head.status == 200)
        }
    }
}
