import AppStore
import Foundation
import HTTPTypes
import Ledger
import LedgerStore
import Projection
import Queries
import SQLiteStore
import Signing
import Testing

@testable import Service
@testable import Web

@Suite("Erasure over HTTP")
struct ErasureRouteTests {
    private static let path = "/v1/erasures"
    private static let token = "0ab11111-2222-4333-8444-555555555555"
    private let purchase = MadePurchase()

    private static func positions(_ plan: JSONValue?) -> [Int64] {
        (plan?["positions"]?.array ?? []).compactMap(\.int64)
    }

    // MARK: What is erased

    @Test("A dry run changes nothing; an erased chain's ids are unknown, and events keep hashes")
    func chain() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let dry = try await client.erase(chains: [purchase.transactionId(1)], dryRun: true)
            #expect(dry.status == 200)
            let plan = dry.json["plan"]
            #expect(ErasureRouteTests.positions(plan) == [1, 2])
            #expect(plan?["customer"]?.isNull == true)
            let chain = plan?["chains"]?.array?.first
            #expect(chain?["originalTransactionId"]?.string == purchase.id)
            #expect(chain?["digest"]?.string?.count == 64)
            #expect(dry.json["position"]?.int64 == 2)
            #expect(try await host.end() == 2)
            #expect(try await client.get("/v1/subscriptions/\(purchase.id)").status == 200)
            let before = try await client.get("/v1/events/1")
            let answer = try await client.erase(chains: [purchase.id])
            #expect(answer.status == 200)
            let erasure = answer.json["erasure"]
            #expect(erasure?["position"]?.int64 == 3)
            #expect(erasure?["repeated"]?.bool == false)
            #expect(ErasureRouteTests.positions(erasure?["plan"]) == [1, 2])
            #expect(answer.json["position"]?.int64 == 3)
            for id in [purchase.id, purchase.transactionId(1)] {
                for tail in ["", "/timeline", "/events"] {
                    let gone = try await client.ask("/v1/subscriptions/\(id)\(tail)?minPosition=3")
                    #expect(gone.status == 404 && gone.code == "noSuchSubscription", "\(id)\(tail)")
                }
            }
            let found = try await client.ask("/v1/search?q=\(purchase.id)&minPosition=3")
            #expect(found.json["matches"]?.array?.isEmpty == true)
            let event = try await client.get("/v1/events/1")
            #expect(event.json["event"]?["signedPayload"]?.string == "")
            #expect(event.json["event"]?["originalTransactionId"]?.isNull == true)
            let hash = event.json["event"]?["leafHash"]
            #expect(hash != nil && hash == before.json["event"]?["leafHash"])
            let own = try await client.get("/v1/events/3")
            #expect(own.json["event"]?["kind"]?.string == "erasure")
            #expect(own.json["payload"]?["actor"]?.string == "dpo")
            #expect(own.json["payload"]?["reason"]?.string == "request 7")
            #expect(!own.text.contains(purchase.id))
            let raw = try await client.get("\(ErasureRouteTests.home)/events/1/raw")
            #expect(raw.status == 422 && raw.text.contains("nothingToProve"))
            #expect(raw.text.contains("was erased: its hashes remain"))
            #expect(try await client.get("\(ErasureRouteTests.home)/events/4/raw").status == 404)
        }
    }

    private static let home = "/console/production"

    /// What can be asked about a subscription and its customer, and lists of events and decisions.
    private static func paths(_ id: String) -> [String] {
        let subscriptions = ["", "/timeline", "/events"].map { "/v1/subscriptions/\(id)\($0)" }
        let customers = ["entitlements", "timeline", "subscriptions"].map {
            "/v1/customers/ann/\($0)"
        }
        let lists = [
            "search?q=\(id)", "search?q=ann", "events?after=0", "events/1", "events/2", "events/3",
            "decisions", "quarantine", "status", "webhooks", "recoveries",
            "metrics/churn?from=2026-01-01", "log/proof/1",
        ].map { "/v1/\($0)" }
        let acts = ["", "/note", "/link", "/erase", "/bundle"].map {
            "\(home)/subscriptions/\(id)\($0)"
        }
        let pages = [
            "", "/customers/ann", "/customers/ann/erase", "/customers/ann/bundle",
            "/find?q=\(id)", "/find?q=ann", "/events", "/events/1", "/events/1/raw", "/events/3",
            "/decisions", "/quarantine", "/reports/churn",
        ].map { "\(home)\($0)" }
        return subscriptions + customers + lists + acts + pages
    }

    @Test(
        "Of a customer erased with purchases and decisions no answer and no page holds another id")
    func everywhere() async throws {
        // A request names the first one.
        let (id, other) = (purchase.id, purchase.transactionId(1))
        try await ServedPlace().serve(renewed: purchase) {
            (client: WebClient, host: LedgerHost) async throws in
            func holding() async throws -> [String] {
                var found: [String] = []
                for path in ErasureRouteTests.paths(id) {
                    let answer = try await client.get(path)
                    #expect(answer.status < 500, "\(path): \(answer.status)")
                    let text = answer.text
                    if text.contains(other) { found.append(path) }
                }
                return found
            }
            let link = try await client.send(
                .put, "/v1/customers/ann/subscriptions/\(id)", .decision())
            #expect(link.status == 200)
            _ = try await host.ledger(.production).snapshot(atLeast: 3, limit: .seconds(120))
            #expect(try await holding().contains("/v1/subscriptions/\(id)/timeline"))
            let note = try await client.send(.post, "/v1/customers/ann/notes", .decision())
            #expect(note.status == 200)
            let answer = try await client.erase(customer: "ann")
            #expect(answer.status == 200)
            let plan = answer.json["erasure"]?["plan"]
            #expect(ErasureRouteTests.positions(plan) == [1, 2, 3, 4])
            #expect(plan?["customer"]?.string == "ann")
            _ = try await host.ledger(.production).snapshot(atLeast: 5, limit: .seconds(120))
            #expect(try await holding() == [])
            let gone = try await client.get("/v1/customers/ann/entitlements")
            #expect(gone.json["standing"]?.string == "new")
            let decisions = try await client.get("/v1/decisions")
            #expect(decisions.json["decisions"]?.array?.isEmpty == true)
        }
    }

    @Test("Nothing of the time before stays in any file, while the service runs on")
    func files() async throws {
        let place = try ServedPlace()
        let directory = place.directory(of: .production)
        try await place.serve(renewed: purchase) { client, _ in
            func holding() throws -> [String] {
                try FileManager.default.subpathsOfDirectory(atPath: directory).filter { name in
                    FileManager.default.contents(atPath: "\(directory)/\(name)")?
                        .range(of: Data(purchase.id.utf8)) != nil
                }
            }
            #expect(try !holding().isEmpty)
            let answer = try await client.erase(chains: [purchase.id])
            #expect(answer.status == 200)
            // Derived files follow; the old ones go once no answer comes from them.
            let end = ContinuousClock.now.advanced(by: .seconds(120))
            while try !holding().isEmpty, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try holding() == [])
        }
    }

    // MARK: Repetitions

    @Test("The same order again finds it done, by its key or an erased id; another one is a 422")
    func repeated() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            // By another id, which no event names afterwards.
            let alias = [purchase.transactionId(1)]
            let first = try await client.erase(chains: alias, key: "k")
            #expect(first.status == 200 && first.headers[.idempotencyReplayed] == nil)
            _ = try await host.ledger(.production).snapshot(atLeast: 3, limit: .seconds(120))
            let again = [
                try await client.erase(chains: alias, key: "k"),
                try await client.erase(chains: [purchase.id]),
            ]
            let unknown = again.map { $0.json["erasure"]?["unknown"]?.array?.compactMap(\.string) }
            #expect(unknown == [alias, []])
            for answer in again {
                #expect(answer.status == 200)
                #expect(answer.headers[.idempotencyReplayed] == "true")
                #expect(answer.json["erasure"]?["position"]?.int64 == 3)
                #expect(answer.json["erasure"]?["repeated"]?.bool == true)
                #expect(answer.json["erasure"]?["plan"]?.isNull == true)
            }
            let others = [
                try await client.erase(customer: "ann", actor: "eve", key: "k"),
                try await client.erase(customer: "ann", reason: "request 8", key: "k"),
                // A person whom nothing names is not one who was erased.
                try await client.erase(customer: "ann", key: "k"),
            ]
            for answer in others {
                #expect(answer.status == 422 && answer.code == "idempotencyKeyReused")
            }
            #expect(try await host.end() == 3)
        }
    }

    @Test("Concurrent orders under one key are one event")
    func together() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let positions = try await withThrowingTaskGroup(of: Int64?.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let answer = try await client.erase(chains: [purchase.id], key: "one")
                        return answer.json["erasure"]?["position"]?.int64
                    }
                }
                return try await group.reduce(into: Set<Int64?>()) { $0.insert($1) }
            }
            #expect(positions == [3])
            #expect(try await host.end() == 3)
        }
    }

    // MARK: Beside other requests

    @Test("Decisions and erasures do not wait for each other; one about what was erased is refused")
    func besideDecisions() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let served = try host.ledger(.production)
            let link = "/v1/customers/ann/subscriptions/\(purchase.id)"
            // As while an erasure is carried out.
            let linked = try await served.erasures.pass {
                try await client.send(.put, link, .decision())
            }
            #expect(linked.status == 200)
            let erased = try await served.decisions.pass {
                try await client.erase(chains: [purchase.id])
            }
            #expect(erased.status == 200)
            let chain = ChainId(
                bundleId: BundleId(MadePurchase.app),
                originalTransactionId: OriginalTransactionId(purchase.id))
            // Checked in the state before the erasure.
            let error = await #expect(throws: CommandError.self) {
                _ = try await host.commands(served).run(
                    .link(CustomerId("bob")), about: chain, asOf: 3,
                    .init(actor: "sara", reason: "called"))
            }
            #expect(error?.failure?.code == .erasureOvertaken)
            let end = try await host.end()
            #expect(end == 4)
        }
    }

    @Test("As many erasures wait for their turn as the limit; one more is a 503")
    func waiting() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let erasures = try host.ledger(.production).erasures
            try await withThrowingTaskGroup(of: Int.self) { group in
                try await erasures.pass {
                    for _ in 0..<LedgerHost.waitingErasureCount {
                        group.addTask { try await client.erase(customer: "nobody").status }
                    }
                    while erasures.waitingCount < LedgerHost.waitingErasureCount {
                        await Task.yield()
                    }
                    let refused = try await client.erase(customer: "nobody")
                    #expect((refused.status, refused.code) == (503, "queueFull"))
                }
                for try await status in group { #expect(status == 404) }
            }
        }
    }

    // MARK: Refusals

    @Test("A chain that another customer holds now is named explicitly, or stays")
    func heldByAnother() async throws {
        var purchase = purchase
        purchase.appAccountToken = ErasureRouteTests.token
        let bought = purchase
        try await ServedPlace().serve(renewed: bought) { client, host in
            let link = "/v1/customers/bob/subscriptions/\(bought.id)"
            let linked = try await client.send(.put, link, .decision())
            #expect(linked.status == 200)
            for dryRun in [true, false] {
                let answer = try await client.erase(
                    customer: ErasureRouteTests.token, dryRun: dryRun)
                #expect(answer.status == 409 && answer.code == "heldByAnother")
            }
            #expect(try await host.end() == 3)
            let both = try await client.erase(
                chains: [bought.id], customer: ErasureRouteTests.token)
            #expect(both.status == 200)
        }
    }

    /// Invalid bodies, and the code of each.
    static let refusals: [(String, String)] = [
        ("", "malformedJSON"), ("[]", "invalidBody"), ("{}", "invalidBody"),
        (#"{"actor":"a","reason":"r"}"#, "invalidBody"),
        (#"{"chains":[],"actor":"a","reason":"r"}"#, "invalidBody"),
        (#"{"chains":"1","actor":"a","reason":"r"}"#, "invalidBody"),
        (#"{"chains":[1],"actor":"a","reason":"r"}"#, "invalidBody"),
        (#"{"chains":[""],"actor":"a","reason":"r"}"#, "invalidBody"),
        (#"{"customer":1,"actor":"a","reason":"r"}"#, "invalidBody"),
        (#"{"customer":"","actor":"a","reason":"r"}"#, "invalidCustomer"),
        (#"{"customer":"ann","reason":"r"}"#, "invalidBody"),
        (#"{"customer":"ann","actor":"a"}"#, "invalidBody"),
        (#"{"customer":"ann","actor":"","reason":"r"}"#, "invalidActor"),
        (#"{"customer":"ann","actor":"a","reason":" "}"#, "invalidReason"),
        (#"{"customer":"ann","actor":"a","reason":"r","dryRun":"true"}"#, "invalidBody"),
        // A misspelt dryRun must not erase.
        (#"{"customer":"ann","actor":"a","reason":"r","dryrun":true}"#, "invalidBody"),
    ]

    @Test("Invalid bodies, unknown ids, environments and parameters are refused, and erase nothing")
    func invalid() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            for (body, code) in ErasureRouteTests.refusals {
                let answer = try await client.post(ErasureRouteTests.path, Array(body.utf8))
                #expect(answer.status == 400 && answer.code == code, "\(body)")
                #expect(try await host.end() == 2, "\(body)")
            }
            let known = WebClient.erasure(chains: [purchase.id])
            let cases: [(String, [UInt8], Int, String)] = [
                ("", WebClient.erasure(chains: ["1"]), 404, "noSuchSubscription"),
                ("", WebClient.erasure(customer: "ann"), 404, "nothingToErase"),
                ("?bundleId=com.example.other", known, 404, "noSuchSubscription"),
                ("?environment=sandbox", known, 404, "noSuchSubscription"),
                ("?environment=xcode", known, 404, "environmentNotServed"),
                ("?dryRun=true", known, 400, "unknownParameter"),
            ]
            for (query, body, status, code) in cases {
                let answer = try await client.post(ErasureRouteTests.path + query, body)
                #expect(answer.status == status && answer.code == code, "\(query)")
            }
            #expect(try await host.end() == 2)
        }
    }

    @Test("An order at its limits is taken, one past them is not")
    func bounds() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            for excess in 0...1 {
                let (limit, width) = (ErasureBody.chainCount, ErasureBody.idByteCount)
                let many = (0..<limit + excess).map { "7\($0)" }
                let long = String(repeating: "7", count: width + excess)
                for chains in [many, [long]] {
                    let answer = try await client.erase(chains: chains)
                    #expect(
                        answer.code == (excess == 0 ? "noSuchSubscription" : "invalidBody"),
                        "\(excess)")
                }
                let body = WebClient.erasure(customer: "unknown")
                let room = ErasureBody.maximumByteCount + excess - body.count
                let padded = body + Array(String(repeating: " ", count: room).utf8)
                let answer = try await client.post(ErasureRouteTests.path, padded)
                #expect(answer.status == (excess == 0 ? 404 : 413), "\(excess)")
                #expect(try await host.end() == 2, "\(excess)")
            }
        }
    }

    @Test("A state behind the log erases nothing: what is not known yet would stay")
    func behind() async throws {
        var place = try ServedPlace()
        place.waitLimit = ServedPlace.briefWait
        try await place.serve(renewed: purchase) { client, host in
            let served = try host.ledger(.production)
            let lock = try await ProjectorLock.held(directory: served.ledger.directory)
            #expect(try await client.notify(purchase.notificationBody(2)).status == 200)
            for dryRun in [true, false] {
                let answer = try await client.erase(chains: [purchase.id], dryRun: dryRun)
                #expect(answer.status == 503 && answer.code == "projectionBehind")
            }
            #expect(try await host.end() == 3)
            withExtendedLifetime(lock) {}
        }
    }

    @Test("The scope admin is required, and the name of its token stands in the event")
    func scopes() async throws {
        var place = try ServedPlace()
        place.configuration.server.tokens = [Scope.read, .write, .admin].map {
            .init($0.rawValue, [$0])
        }
        try await place.serve(renewed: purchase) { client, host in
            let body = WebClient.erasure(chains: [purchase.id])
            for (scope, status) in [("read", 403), ("write", 403), ("admin", 200)] {
                let fields: HTTPFields = [
                    .contentType: "application/json", .authorization: "Bearer \(scope)",
                ]
                let answer = try await client.post(ErasureRouteTests.path, body, fields)
                #expect(answer.status == status, "\(scope)")
            }
            let log = try host.ledger(.production).ledger.log
            let evidence = try #require(try await log.event(at: 3)?.originalBytes())
            #expect(Erasure(evidence: evidence)?.tokenName == "admin")
        }
    }
}
