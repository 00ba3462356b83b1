import AppStore
import HTTPTypes
import Ledger
import LedgerTestSupport
import Queries
import Service
import Simulator
import Testing

@testable import Web

/// Responses about whole lives, with everything Apple can send.
@Suite("Simulated lives and the OpenAPI document")
struct DocumentLifeTests {
    /// Enough lives that every part of a response occurs.
    static let lifeCount: UInt64 = 60

    /// Sends everything of one life; the environment of each of its chains, some are of the
    /// sandbox.
    private static func send(
        _ seed: UInt64, _ client: WebClient
    ) async throws -> [String: String] {
        var chains: [String: String] = [:]
        for delivery in SubscriberWorld().life(seed: seed).deliveries {
            let answer: WebClient.Answer
            switch delivery.evidence {
            case .notification:
                answer = try await client.notify(TestAuthority.signer.line(delivery))
            case .transaction(let transaction), .pair(let transaction, _, _):
                answer = try await client.post(
                    "/v1/transactions", upload(transaction, delivery))
            }
            #expect(answer.status == 200, "\(answer.code ?? "")")
            guard let transaction = delivery.transaction,
                let id = transaction.originalTransactionId
            else { continue }
            chains[id.rawValue] = transaction.environment?.rawValue.lowercased()
        }
        return chains
    }

    private static func upload(
        _ transaction: TransactionPayload, _ delivery: Delivery
    ) throws -> [UInt8] {
        let signer = TestAuthority.signer
        var renewal: String?
        if case .pair(_, let payload, _) = delivery.evidence {
            renewal = try signer.sign(payload.encoded())
        }
        let signed = try signer.sign(transaction.encoded())
        var json = JSONWriter()
        json.object {
            $0.member("signedTransactionInfo", signed)
            $0.memberIfPresent("signedRenewalInfo", renewal)
        }
        return json.bytes
    }

    /// All responses about customers.
    private static func ask(_ customers: [String], _ client: WebClient) async throws {
        for customer in customers {
            for tail in ["entitlements", "timeline", "subscriptions?limit=1"] {
                let answer = try await client.get("/v1/customers/\(customer)/\(tail)")
                #expect(answer.status == 200)
            }
        }
        var json = JSONWriter()
        json.object { $0.array("customers", customers) }
        let answer = try await client.post("/v1/customers:entitlements", json.bytes)
        #expect(answer.json["customers"]?.array?.count == customers.count)
        #expect(!customers.isEmpty)
    }

    @Test("Every response about them, and changes of every name, are as documented")
    func lives() async throws {
        var place = try ServedPlace()
        place.now = SubscriberWorld.defaultHorizon
        let terms = APIDocument.shared.schema("SubscriptionTerms")["properties"]?.object ?? []
        let wanted = Set(terms.map(\.key) + ["notices"])
        let seen = try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            var chains: [String: String] = [:]
            for seed in 1...DocumentLifeTests.lifeCount {
                chains.merge(try await DocumentLifeTests.send(seed, client)) { first, _ in first }
            }
            #expect(Set(chains.values) == ["production", "sandbox"])
            var (seen, customers): (Set<String>, Set<String>) = ([], [])
            var standings: Set<String> = []
            for (id, environment) in chains.sorted(by: { $0.key < $1.key }) {
                let path = "/v1/subscriptions/\(id)"
                let scope = "environment=\(environment)"
                let head = try await client.get("/v1/events?limit=1&\(scope)").json["position"]
                let position = try #require(head?.int64)
                let timeline = try await client.ask(
                    "\(path)/timeline?\(scope)&minPosition=\(position)")
                #expect(timeline.status == 200)
                let entries = timeline.json["entries"]?.array ?? []
                // Once every part has occurred, some moments of each life are enough.
                let isComplete = wanted.isSubset(of: seen)
                let moments = Set(entries.compactMap { $0["at"]?.string }).sorted()
                for (index, at) in moments.enumerated() where !isComplete || index % 4 == 0 {
                    let show = try await client.get("\(path)?\(scope)&at=\(at)")
                    #expect(show.status == 200)
                    if let token = show.json["appAccountToken"]?.string { customers.insert(token) }
                    seen.formUnion(
                        (show.json.object ?? []).filter {
                            !$0.value.isNull && $0.value.array != []
                        }.map(\.key))
                }
                for transaction in Set(entries.compactMap { $0["transactionId"]?.string }) {
                    let asked = try await client.get("/v1/subscriptions/\(transaction)?\(scope)")
                    let standing = asked.json["transaction"]?["standing"]?.string
                    #expect(standing != nil || transaction == id)
                    standings.formUnion([standing].compactMap(\.self))
                }
                let events = try await client.get("\(path)/events?\(scope)&limit=1000")
                #expect(events.json["events"]?.array?.isEmpty == false)
            }
            #expect(standings.isSuperset(of: ["current", "ended", "refunded"]))
            try await DocumentLifeTests.ask(customers.sorted(), client)
            let page = try await client.get("/v1/events?limit=1000&evidence=true")
            #expect(page.json["events"]?.array?.isEmpty == false)
            try await DocumentLifeTests.follow(client, host)
            return seen
        }
        #expect(wanted.subtracting(seen) == [], "no life has them")
    }

    /// The first changes of each name.
    private static let changeCount = 30

    /// What is emitted about them: changes of every name.
    private static func follow(_ client: WebClient, _ host: LedgerHost) async throws {
        let head = try #require(try await client.get("/v1/events?limit=1").json["position"]?.int64)
        _ = try await host.ledger(.production).snapshot(atLeast: head, limit: .seconds(120))
        let feed = try #require(host.makeFeeds().first)
        try await feed.step()
        let check = SchemaCheck(document: .shared)
        var (place, counts) = (ChangePlace.beginning, [ChangeName: Int]())
        while true {
            let page = try await feed.page(after: place)
            for change in page.changes {
                counts[change.change.name, default: 0] += 1
                guard counts[change.change.name, default: 0] <= changeCount else { continue }
                let findings = check.findings(
                    try JSONValue.parse(change.body()), APIDocument.shared.schema("Change"))
                #expect(findings.isEmpty, "\(findings)")
            }
            place = page.next
            if page.isEnd { break }
        }
        #expect(counts.count > 10)
    }
}
