import AppStore
import HTTPTypes
import Projection
import Service
import Testing

@testable import Web

@Suite("Erased persons, asked for everywhere")
struct ErasedSubjectTests {
    private let purchase = MadePurchase()
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

    @Test("No answer and no page holds an id that the request does not name")
    func everywhere() async throws {
        // A request names the first one.
        let (id, other) = (purchase.id, purchase.transactionId(1))
        try await ServedPlace().serve(renewed: purchase) {
            (client: WebClient, host: LedgerHost) async throws in
            func holding() async throws -> [String] {
                var found: [String] = []
                for path in ErasedSubjectTests.paths(id) {
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
            #expect(try await client.erase(customer: "ann").status == 200)
            _ = try await host.ledger(.production).snapshot(atLeast: 4, limit: .seconds(120))
            #expect(try await holding() == [])
        }
    }
}
