import AppStore
import HTTPTypes
import Ledger
import Queries
import Reports
import Service
import Testing

@testable import Web

@Suite("The chains behind a cell over HTTP")
struct ChainsRouteTests {
    private let purchase = MadePurchase()

    /// Invalid queries, and the code of each.
    static let refusals: [(String, String)] = [
        ("churn/chains?from=2026-01-01", "unknownColumn"),
        ("churn/chains?from=2026-01-01&column=gross", "unknownColumn"),
        ("churn/chains?column=new", "invalidTime"),
        ("churn/chains?from=2026-01-01&column=new&group=product", "invalidFilter"),
        ("churn/chains?from=2026-01-01&column=new&by=product", "unknownParameter"),
        ("churn/chains?from=2026-01-01&column=new&after=x", "invalidCursor"),
        ("churn/chains?from=2026-01-01&column=new&limit=0", "invalidParameter"),
        ("churn/chains?from=2026-01-01&column=new&limit=1001", "invalidParameter"),
        ("churn/chains?from=2026-01-01&column=new&paid=yes", "invalidParameter"),
        ("revenue/chains?from=2026-01-01&column=gross&paid=true", "unknownParameter"),
        ("revenue/chains?from=2026-01-01&column=gross", "invalidFilter"),
        ("ltv/chains?from=2026-01-01&column=age.30.perCustomer", "unknownColumn"),
        ("lateness/chains?from=2026-01-01&column=p50", "unknownColumn"),
    ]

    @Test("Chains take the scope read, or those of reports and of people together")
    func scopes() async throws {
        var place = try ServedPlace.single()
        let cases: [(String, [Scope], Int)] = [
            ("one", [.read], 200), ("two", [.reports, .support], 200), ("three", [.reports], 403),
            ("four", [.support], 403), ("five", [.write, .admin], 403),
        ]
        place.configuration.server.tokens = cases.map { .init($0.0, $0.1) }
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            for (name, scopes, status) in cases {
                let answer = try await client.get(
                    "/v1/metrics/churn/chains?from=2026-01-01&column=new",
                    [.authorization: "Bearer \(name)"])
                #expect(answer.status == status, "\(scopes)")
            }
        }
    }

    @Test("An invalid cell is a 400 with its code, an unknown metric a 404")
    func refused() async throws {
        try await ServedPlace.single().serve { (client: WebClient, _: LedgerHost) async throws in
            for (query, code) in ChainsRouteTests.refusals {
                let answer = try await client.get("/v1/metrics/\(query)")
                #expect(answer.status == 400 && answer.code == code, "\(query)")
            }
            for name in ["diff", "churns", "%20"] {
                let answer = try await client.get(
                    "/v1/metrics/\(name)/chains?from=2026-01-01&column=new")
                #expect(answer.status == 404 && answer.code == "unknownMetric", "\(name)")
            }
        }
    }

    @Test("A value of a group or filter may contain commas")
    func commas() async throws {
        #expect(
            MetricParameters.pairs("offerIdentifier=Summer, 2026,country=USA")
                == ["offerIdentifier=Summer, 2026", "country=USA"])
        #expect(
            MetricParameters.pairs("product=a,product=,phase=trial")
                == ["product=a", "product=", "phase=trial"])
        #expect(MetricParameters.pairs("offer=a,1=c,") == ["offer=a,1=c,"])
        // What may be meant as another filter is refused where it names none.
        #expect(
            MetricParameters.pairs("offer=a, prodct=x,country=USA,GBR,")
                == ["offer=a", "prodct=x", "country=USA", "GBR", ""])
        // Blanks after a comma are a person's.
        #expect(
            MetricParameters.pairs("product=a, country=USA") == ["product=a", "country=USA"])
        #expect(MetricParameters.list("product , country") == ["product", "country"])
        #expect(MetricParameters.pairs("colour=red,country=USA") == ["colour=red", "country=USA"])
        #expect(MetricParameters.pairs("") == [] && MetricParameters.pairs(nil) == [])
        try await ServedPlace.single().serve(renewed: purchase) { client, _ in
            let value = "offerIdentifier=Summer,%202026"
            for named in ["&group=\(value),country=USA", "&where=\(value)"] {
                let answer = try await client.get(
                    "/v1/metrics/churn/chains?from=2026-01-01&column=new\(named)")
                #expect(answer.status == 200 && answer.json["amount"]?.int64 == 0)
            }
        }
    }

    @Test("The chain of a cell comes with its event, by column, group and knowledge")
    func chains() async throws {
        try await ServedPlace.single().serve(renewed: purchase) { client, host in
            let path = "/v1/metrics/churn/chains?from=2026-01-01&column=new"
            let new = try await client.get(path)
            #expect(new.status == 200)
            #expect(new.json["amount"]?.int64 == 1 && new.json["chainCount"]?.int64 == 1)
            let chain = new.json["chains"]?.array?.first
            #expect(chain?["originalTransactionId"]?.string == purchase.id)
            #expect(chain?["events"]?.array?.compactMap(\.int64) == [1])
            let paid = try await client.get(path + "&paid=true&group=country%3DUSA")
            #expect(paid.json["definition"]?.string == "churn.paid/1")
            #expect(paid.json["amount"]?.int64 == 1)
            #expect(paid.json["group"]?["country"]?.string == "USA")
            let other = try await client.get(path + "&group=country=DEU")
            #expect(other.json["amount"]?.int64 == 0)
            #expect(other.json["chains"]?.array?.isEmpty == true)
            let before = try await client.get(path + "&knownPosition=0")
            #expect(before.json["amount"]?.int64 == 0)
            let revenue = try await client.get(
                "/v1/metrics/revenue/chains?from=2026-01-01&column=gross&group=currency=USD")
            #expect(revenue.json["unit"]?.string == "milliunits")
            #expect(revenue.json["amount"]?.int64 == 9990)
            let next = try await client.get(
                path + "&limit=1&after=\(purchase.id)~\(purchase.bundleId)")
            #expect(next.json["chains"]?.array?.isEmpty == true)
            #expect(next.json["amount"]?.int64 == 1 && next.json["next"]?.isNull == true)
            var parameters = CellParameters(column: "new")
            parameters.from = "2026-01-01"
            let cell = try await host.cell(.churn(isPaid: false), parameters, QueryScope())
            var json = JSONWriter()
            cell.write(to: &json)
            #expect(new.bytes == json.bytes)
        }
    }
}
