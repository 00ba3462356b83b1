import AppStore
import HTTPTypes
import HummingbirdTesting
import Intake
import Ledger
import LedgerStore
import Projection
import SQLiteStore
import Testing

@testable import Service
@testable import Web

@Suite("Concurrent claims")
struct ClaimRaceTests {
    private let purchase = MadePurchase()
    private static let customers = (1...8).map { "customer-\($0)" }

    /// The response to each customer's upload of the same transaction, all sent concurrently.
    private func race(_ client: WebClient) async throws -> [String: WebClient.Answer] {
        return try await withThrowingTaskGroup(of: (String, WebClient.Answer).self) { group in
            for customer in ClaimRaceTests.customers {
                let body = try purchase.uploadBody(2, customer: customer)
                group.addTask { (customer, try await client.post("/v1/transactions", body)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// Customers of the claims in the log, in order.
    private func claimed(_ client: WebClient) async throws -> [String] {
        let timeline = try await client.ask("/v1/subscriptions/\(purchase.id)/timeline")
        return (timeline.json["entries"]?.array ?? []).filter {
            $0["fact"]?.string == "accountLinked"
        }.compactMap { $0["cause"]?["command"]?["customer"]?.string }
    }

    @Test("Under transfer every claim in the log moved the chain, and its response says so")
    func transfer() async throws {
        try await ServedPlace.single().serve { (client: WebClient, host: LedgerHost) async throws in
            let answers = try await race(client)
            let end = try await host.ledger(.production).ledger.log.head().position
            _ = try await host.ledger(.production).snapshot(atLeast: end, limit: .seconds(120))
            let claimed = try await claimed(client)
            #expect(Set(claimed) == Set(ClaimRaceTests.customers))
            for (customer, answer) in answers {
                #expect(answer.status == 200)
                #expect(answer.json["claim"]?.string == "moved", "\(customer)")
                // It states the result of this claim, whatever followed.
                let active = (answer.json["entitlements"]?.array ?? []).filter {
                    $0["active"]?.bool == true
                }
                #expect(active.count == 1, "\(customer)")
            }
            var holders: [String] = []
            for customer in ClaimRaceTests.customers {
                let answer = try await client.get("/v1/customers/\(customer)/subscriptions")
                if answer.json["subscriptions"]?.array?.isEmpty == false {
                    holders.append(customer)
                }
            }
            #expect(holders == [claimed.last])
        }
    }

    @Test("Under keep exactly one gets the chain, and every other one is refused")
    func keep() async throws {
        var place = try ServedPlace.single()
        place.configuration.claimPolicy = .keep
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let outcomes = try await race(client).mapValues { $0.json["claim"]?.string }
            let end = try await host.ledger(.production).ledger.log.head().position
            _ = try await host.ledger(.production).snapshot(atLeast: end, limit: .seconds(120))
            #expect(outcomes.values.count { $0 == "moved" } == 1)
            #expect(outcomes.values.count { $0 == "refused" } == 7)
            for (customer, outcome) in outcomes {
                let answer = try await client.get("/v1/customers/\(customer)/subscriptions")
                let holds = answer.json["subscriptions"]?.array?.isEmpty == false
                #expect(holds == (outcome == "moved"), "\(customer)")
            }
        }
    }

    @Test("An upload whose customer a later claim made the holder is answered including that claim")
    func heldMeanwhile() async throws {
        let upload = try UploadBody(purchase.uploadBody(1, customer: "ann"))
        let other = try purchase.uploadBody(2, customer: "ann")
        try await ServedPlace.single().serve { (client: WebClient, host: LedgerHost) async throws in
            // Appended first, and claimed after the other one.
            let receipt = try await host.takeUpload(upload)
            let answer = try await client.post("/v1/transactions", other)
            #expect(answer.json["claim"]?.string == "moved")
            let (record, isClaimed) = try await host.record(
                of: receipt, for: upload.customer, sender: "test")
            let end = try await host.end()
            #expect(receipt.position == 1 && end == 3)
            #expect(record.claim == "held" && !isClaimed)
            #expect(record.position == end)
        }
    }
}
