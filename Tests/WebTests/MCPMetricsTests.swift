import AppStore
import Console
import Ledger
import LedgerStore
import LedgerTestSupport
import Service
import Testing

@testable import Queries
@testable import Web

@Suite("Reports over the Model Context Protocol")
struct MCPMetricsTests {
    /// A tool, its arguments, the same question over HTTP, and what the text says.
    private typealias Case = (
        tool: String, arguments: String, path: String, texts: [String]
    )

    private static let purchase = MadePurchase()
    private static let place = "/console/production"

    private static let cases: [Case] = [
        (
            "metrics", #"{"name":"revenue","from":"2026-01-01","rates":"USD,EUR:1.25"}"#,
            "/v1/metrics/revenue?from=2026-01-01&rates=USD,EUR:1.25", ["from,to"]
        ),
        (
            "metrics", #"{"name":"revenue","from":"2026-01-01","rates":"none"}"#,
            "/v1/metrics/revenue?from=2026-01-01&rates=none",
            ["\(place)/reports/revenue?from=2026-01-01&rates=none"]
        ),
        (
            "metrics", #"{"name":"refunds","from":"2026-01-01","refundBasis":"purchase"}"#,
            "/v1/metrics/refunds?from=2026-01-01&refundBasis=purchase",
            ["\(place)/reports/refunds-by-purchase?from=2026-01-01"]
        ),
        (
            "metrics", #"{"from":"2026-01-01","definitions":"stripe"}"#,
            "/v1/metrics/churn?from=2026-01-01&definitions=stripe",
            ["\(place)/reports/churn?from=2026-01-01&definitions=stripe", "theirs: "]
        ),
        (
            "metrics", #"{"name":"diff","from":"2026-01-01","knownPosition":1}"#,
            "/v1/metrics/diff?from=2026-01-01&knownPosition=1",
            ["\(place)/reports/diff?metric=churn&from=2026-01-01&knownPosition=1"]
        ),
        (
            "metrics", #"{"name":"diff","from":"2026-01-01","knownPosition":1,"paid":true}"#,
            "/v1/metrics/diff?from=2026-01-01&knownPosition=1&paid=true",
            ["\(place)/reports/diff?metric=churn&from=2026-01-01&paid=true&knownPosition=1"]
        ),
        (
            "metrics", #"{"name":"diff","from":"2026-01-01","knownPosition":"1,2"}"#,
            "/v1/metrics/diff?from=2026-01-01&knownPosition=1,2", ["from,to"]
        ),
        // Both begin a year before the earliest of these times.
        (
            "metrics", #"{"knownAt":"2025-10-26T00:00:00.000Z"}"#,
            "/v1/metrics/churn?from=2024-10-01&knownAt=2025-10-26T00:00:00.000Z",
            ["\(place)/reports/churn?from=2024-10-01"]
        ),
        (
            "metrics",
            #"{"name":"diff","knownAt":"2025-10-26T00:00:00.000Z,2026-03-01T00:00:00.000Z"}"#,
            "/v1/metrics/diff?from=2024-10-01"
                + "&knownAt=2025-10-26T00:00:00.000Z,2026-03-01T00:00:00.000Z", ["from,to"]
        ),
        (
            "metrics", #"{"name":"retention-offers","from":0}"#,
            "/v1/metrics/retention-offers?from=0",
            [
                "\(place)/reports/retention-offers?from=1970-01-01", "No message was shown.",
                "0 noRule", "log position 2",
            ]
        ),
        (
            "chains", #"{"column":"new","from":"2026-01-01"}"#,
            "/v1/metrics/churn/chains?from=2026-01-01&column=new&limit=20",
            ["1 from 1 chain\n", "event 1", "\(place)/subscriptions/\(purchase.id)"]
        ),
    ]

    @Test("An answer has the JSON of HTTP, and a page of the console only where one shows it")
    func answers() async throws {
        try await ServedPlace.single().serve(renewed: MCPMetricsTests.purchase) { client, _ in
            for asked in MCPMetricsTests.cases {
                let result = try await MCPRouteTests.call(client, asked.tool, asked.arguments)
                #expect(result["isError"]?.bool == false, "\(asked.arguments)")
                let direct = try await client.get(asked.path)
                #expect(direct.status == 200, "\(asked.path)")
                #expect(result["structuredContent"] == direct.json, "\(asked.arguments)")
                let text = MCPRouteTests.text(result)
                for part in asked.texts {
                    #expect(text.contains(part), "\(asked.arguments): \(part)")
                }
                let hasPage = asked.texts.contains { $0.hasPrefix(MCPMetricsTests.place) }
                #expect(text.contains("Console: ") == hasPage || asked.tool == "chains")
            }
        }
    }

    @Test("A refusal names what the tool takes; an argument that states what holds is accepted")
    func refusals() async throws {
        let limit = "limit takes 1 to \(MCPLimits.entryCount)."
        let cases = [
            ("timeline", #"{"customer":"a","limit":0}"#, limit),
            ("timeline", #"{"customer":"a","limit":1001}"#, limit),
            ("chains", #"{"column":"new","from":"2026-01-01","limit":0}"#, limit),
            ("metrics", #"{"name":"none"}"#, "one of churn, retention-offers, diff, active, "),
            (
                "metrics", #"{"name":"diff","metric":"mrr","knownPosition":1,"paid":true}"#,
                "paid applies to churn only."
            ),
            (
                "chains", #"{"name":"none","column":"new","from":"2026-01-01"}"#,
                "one of churn, active, "
            ),
        ]
        let accepted = [
            ("metrics", #"{"rates":"none","paid":false}"#),
            ("metrics", #"{"name":"mrr","paid":false}"#),
            ("metrics", #"{"name":"diff","metric":"mrr","knownPosition":0,"paid":false}"#),
            ("metrics", #"{"name":"retention-offers","from":"0","paid":false}"#),
            ("chains", #"{"name":"starts","column":"starts","from":"2026-01-01","paid":false}"#),
        ]
        try await ServedPlace.single().serve { (client: WebClient, _: LedgerHost) async throws in
            for (tool, arguments, part) in cases {
                let result = try await MCPRouteTests.call(client, tool, arguments)
                #expect(result["isError"]?.bool == true)
                #expect(MCPRouteTests.text(result).contains(part), "\(arguments)")
            }
            // Arguments of other metrics are accepted where they state what holds anyway.
            for (tool, arguments) in accepted {
                let result = try await MCPRouteTests.call(client, tool, arguments)
                #expect(result["isError"]?.bool != true, "\(MCPRouteTests.text(result))")
            }
        }
    }

    @Test("A line break in a value of a table is escaped, and begins no line")
    func lineBreaks() async throws {
        try await ServedPlace.single().serve { (client: WebClient, host: LedgerHost) async throws in
            let sold = MCPMetricsTests.purchase.notification(0).withTransaction {
                $0.productId = ProductId("a\r\nAs of")
            }
            let taken = try await client.notify(MadePurchase.body(sold.token()))
            #expect(taken.status == 200)
            _ = try await host.ledger(.production).snapshot(atLeast: 1, limit: .seconds(60))
            let result = try await MCPRouteTests.call(
                client, "metrics", #"{"name":"starts","from":"2026-01-01","by":"product"}"#)
            let lines = MCPRouteTests.text(result).split(separator: "\n")
            #expect(lines.contains { $0.contains(#","a\u000D\u000AAs of","#) })
            #expect(!lines.contains { $0.hasPrefix("As of") })
        }
    }

    @Test("The messages that a rule chose are counted in a line")
    func offers() {
        let text = MCPText(origin: "", state: ViewState(environment: .production))
        var offers = RetentionOffers(
            environment: .production, from: ServedPlace.now, to: ServedPlace.now, position: 7)
        offers.rows = [
            RetentionOffers.Row(rule: "yearly", message: "m", results: [.kept: 2, .open: 1]),
            RetentionOffers.Row(
                rule: "yearly", message: "m", promotionalOffer: "stay", results: [.lost: 1]),
        ]
        offers.unanswered = [.late: 3]
        let lines = text.text(offers)
        #expect(lines.contains("Rule yearly, message m: 3 shown, 2 kept, 0 lost, 1 open."))
        let offered = "Rule yearly, message m, promotional offer stay: 1 shown,"
        #expect(lines.contains { $0.hasPrefix(offered) })
        #expect(lines.contains { $0.contains("3 late") })
        #expect(lines.dropLast().last == "As of log position 7.")
        let page = "Console: /console/production/reports/retention-offers?from="
        #expect(lines.last?.hasPrefix(page) == true)
    }
}
