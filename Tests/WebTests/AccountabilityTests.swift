import AppStore
import HTTPTypes
import HummingbirdTesting
import LedgerStore
import Logging
import Projection
import SQLiteStore
import Service
import Synchronization
import Testing

@testable import Web

@Suite("Accountability")
struct AccountabilityTests {
    private let codes = LogCodes()

    private func guarded(_ names: [String] = ["backoffice"]) throws -> ServedPlace {
        var place = try ServedPlace()
        place.logger = codes.logger
        place.configuration.server.tokens = names.map {
            .init($0, secret: "secret of \($0)", Scope.allCases)
        }
        return place
    }

    private func head(_ token: String = "backoffice", key: String? = nil) -> HTTPFields {
        var head = HTTPFields.decision(key: key)
        head[.authorization] = "Bearer secret of \(token)"
        return head
    }

    // MARK: Failures

    @Test("A failed authentication is counted and logged with its source address")
    func logged() async throws {
        var place = try guarded()
        let metrics = ServiceMetrics()
        place.metrics = metrics
        try await place.serve(.live) { (client: WebClient, _: LedgerHost) async throws in
            let wrong: HTTPFields = [.authorization: "Bearer guessed-secret"]
            #expect(try await client.get("/v1/subscriptions/77", wrong).status == 401)
            #expect(try await client.get("/v1/none").status == 401)
            let lines = codes.metadata(of: "authenticationFailed")
            #expect(lines.map { $0["reason"]?.description } == ["unknownToken", "noToken"])
            #expect(lines.allSatisfy { $0["address"]?.description.isEmpty == false })
            #expect(lines.allSatisfy { $0["address"]?.description != "unknown" })
            // The route, and nothing that the client chose.
            let path = lines.first?["path"]?.description ?? ""
            #expect(path.hasPrefix("/v1/subscriptions/") && !path.contains("77"))
            #expect(!"\(lines)".contains("guessed-secret"))
            #expect(lines.allSatisfy { $0["suppressed"] == nil })
            let head: HTTPFields = [.authorization: "Bearer secret of backoffice"]
            let text = String(
                decoding: try await client.get("/metrics", head).bytes, as: UTF8.self)
            for reason in ["noToken", "unknownToken"] {
                let line = "subledger_authentication_failures_total{reason=\"\(reason)\"} 1\n"
                #expect(text.contains(line))
            }
        }
    }

    @Test("At the limit every failure is logged; past it they are counted in the next line")
    func bounded() async throws {
        let start = ContinuousClock.now
        let moment = Elapsed()
        var place = try guarded()
        place.authenticationPace = LogRateLimiter { start + moment.value }
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            for _ in 0..<LogRateLimiter.entriesPerSecond { _ = try await client.get("/v1/events") }
            #expect(
                codes.metadata(of: "authenticationFailed").count == LogRateLimiter.entriesPerSecond)
            for _ in 0..<3 { _ = try await client.get("/v1/events") }
            #expect(
                codes.metadata(of: "authenticationFailed").count == LogRateLimiter.entriesPerSecond)
            moment.advance(by: .seconds(2))
            _ = try await client.get("/v1/events")
            let lines = codes.metadata(of: "authenticationFailed")
            #expect(lines.count == LogRateLimiter.entriesPerSecond + 1)
            #expect(lines.last?["suppressed"]?.description == "3")
        }
    }

    // MARK: Commands

    @Test("A command stores the name of its token with the actor, in the event and in timelines")
    func tokenName() async throws {
        let purchase = MadePurchase()
        let link = "/v1/customers/ann/subscriptions/\(purchase.id)"
        let head = head()
        try await guarded().serve { (client: WebClient, host: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
            let answer = try await client.send(.put, link, head)
            #expect(answer.status == 200)
            #expect(answer.json["decision"]?["actor"]?.string == "sara")
            #expect(answer.json["decision"]?["tokenName"]?.string == "backoffice")
            let log = try host.ledger(.production).ledger.log
            let evidence = try await log.event(at: 2)?.originalBytes()
            let event = try evidence.map { try JSONValue.parse($0) }
            #expect(event?["actor"]?.string == "sara")
            #expect(event?["tokenName"]?.string == "backoffice")
            for path in ["/v1/customers/ann", "/v1/subscriptions/\(purchase.id)"] {
                let timeline = try await client.ask("\(path)/timeline?minPosition=2", head)
                let commands = (timeline.json["entries"]?.array ?? []).compactMap {
                    $0["cause"]?["command"]
                }
                #expect(commands.map { $0["tokenName"]?.string } == ["backoffice"], "\(path)")
            }
        }
    }

    @Test("A repetition under another token keeps the first name; without tokens there is none")
    func repeated() async throws {
        let purchase = MadePurchase()
        let link = "/v1/customers/ann/subscriptions/\(purchase.id)"
        let place = try guarded(["old", "new"])
        let (first, second) = (head("old", key: "k"), head("new", key: "k"))
        var open = place
        open.configuration.server.tokens = []
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            _ = try await client.notify(purchase.notificationBody())
            let answer = try await client.send(.put, link, first)
            #expect(answer.json["decision"]?["tokenName"]?.string == "old")
            let again = try await client.send(.put, link, second)
            #expect(again.headers[.idempotencyReplayed] == "true")
            #expect(again.bytes == answer.bytes)
            #expect(try await host.ledger(.production).ledger.log.head().position == 2)
        }
        let later = head("none", key: "k2")
        try await open.serve { (client: WebClient, _: LedgerHost) async throws in
            let answer = try await client.send(.put, link, later)
            #expect(answer.status == 200)
            #expect(answer.json["decision"]?["actor"]?.string == "sara")
            #expect(answer.json["decision"]?["tokenName"] == nil)
        }
    }
}

/// A clock that the test sets.
private final class Elapsed: Sendable {
    private let time = Mutex(Duration.zero)

    var value: Duration { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
