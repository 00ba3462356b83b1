import AppStore
import Foundation
import HTTPTypes
import Intake
import PostgresStore
import PostgresSupport
import Service
import Testing

@testable import Web

/// What HTTP shows of a node whose database comes and goes.
@Suite(
    "The database away, over HTTP",
    .enabled(if: PostgresCluster.isPresent, "PostgreSQL (Debian's postgresql) is not installed"))
struct DatabaseAwayTests {
    private static let age = HTTPField.Name("Subledger-Age")!

    @Test("Notifications are refused, answers state their age, and both readinesses are apart")
    func away() async throws {
        let cluster = try await offPool { try PostgresCluster() }
        defer { cluster.end() }
        var place = try ServedPlace()
        place.environments = [.production]
        place.waitLimit = ServedPlace.briefWait
        let url = cluster.url(PostgresCluster.superuser)
        place.configuration.ledger.database = .init(url: url)
        place.configuration.ledger.database?.engine = PostgresEngine(
            try #require(ConnectionString(url)))
        let purchase = MadePurchase()
        let path = "/v1/subscriptions/\(purchase.id)"
        try await place.serve(renewed: purchase) { client, host in
            #expect(try await client.get("/readyz").status == 200)
            #expect(try await client.get("/readyz/answers").status == 200)
            let before = try await client.ask(path)
            #expect(before.status == 200 && before.headers[Self.age] == nil)
            let early = try await Self.madeReport(client)
            try await offPool { cluster.stop(SIGQUIT) }
            let ledger = try host.ledger(.production)
            while ledger.age == nil { try await Task.sleep(for: .milliseconds(10)) }
            let refused = try await client.notify(purchase.notificationBody(2))
            #expect(refused.status == 503)
            #expect(try await client.get("/readyz").status == 503)
            #expect(try await client.get("/readyz/answers").status == 200)
            let answer = try await client.get(path)
            #expect(answer.status == 200 && answer.bytes == before.bytes)
            #expect(answer.headers[Self.age].flatMap { Int($0) } != nil)
            let metrics = try await client.get("/metrics")
            #expect(metrics.status == 200 && metrics.headers[Self.age] != nil)
            let documented = APIDocument.shared.root["paths"]?["/metrics"]?["get"]
            let headers = documented?["responses"]?["200"]?["headers"]
            #expect(headers?["Subledger-Age"] != nil)
            try await Self.checkKnowledge(client, path)
            try await Self.checkTools(client, purchase.id)
            try await Self.checkSearch(client, purchase.id)
            try await Self.checkConsole(client, purchase.id)
            // Each report states the age that its result had when it was made.
            let current = try await client.get(early)
            #expect(current.status == 200 && current.headers[Self.age] == nil)
            let late = try await Self.madeReport(client)
            try await offPool { try cluster.start() }
            while try await client.get("/readyz").status != 200 || ledger.age != nil {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try await client.notify(purchase.notificationBody(2)).status == 200)
            var after = try await client.ask("\(path)?minPosition=3")
            while after.status == 503 { after = try await client.ask("\(path)?minPosition=3") }
            #expect(after.status == 200 && after.headers[Self.age] == nil)
            let aged = try await client.get(late)
            #expect(aged.status == 200 && aged.headers[Self.age] != nil)
            let access = try await MCPRouteTests.call(
                client, "access", #"{"subscription":"\#(purchase.id)"}"#)
            #expect(!MCPRouteTests.text(access).contains("could not be read"))
        }
    }

    /// The path of a report that was made.
    private static func madeReport(_ client: WebClient) async throws -> String {
        let body = #"{"report":"/v1/metrics/churn?from=2026-01-01"}"#
        let started = try await client.post("/v1/jobs", Array(body.utf8))
        let path = "/v1/jobs/\(try #require(started.json["id"]?.string))"
        var state = started.json["state"]?.string
        while state == "waiting" || state == "running" {
            state = try await client.get(path).json["state"]?.string
        }
        #expect(state == "finished")
        return path
    }

    /// What other nodes may have appended since the last read is in no answer about past knowledge,
    /// and an unknown id states the age, too.
    private static func checkKnowledge(_ client: WebClient, _ path: String) async throws {
        for limit in ["knownPosition=2", "knownAt=2026-01-01T00:00:00Z"] {
            let answer = try await client.get("\(path)?\(limit)")
            #expect([200, 404].contains(answer.status), "\(limit)")
        }
        for limit in ["knownPosition=3", "knownAt=2100-01-01T00:00:00Z"] {
            let refused = try await client.get("\(path)?\(limit)")
            #expect(refused.status == 503 && refused.code == "projectionBehind", "\(limit)")
        }
        let unknown = try await client.get("/v1/subscriptions/999")
        #expect(unknown.status == 404 && unknown.headers[age].flatMap { Int($0) } != nil)
    }

    /// Ids that the projections have are found; positions, and ids that they do not have, need the
    /// log.
    private static func checkSearch(_ client: WebClient, _ id: String) async throws {
        let found = try await client.get("/v1/search?q=\(id)")
        #expect(found.status == 200 && found.json["matches"]?.array?.count == 1)
        #expect(found.headers[age] != nil)
        for text in ["%231", "0ab11111-2222-4333-8444-555555555555"] {
            let refused = try await client.get("/v1/search?q=\(text)")
            #expect(refused.status == 503 && refused.code == "databaseUnavailable", "\(text)")
        }
    }

    /// The page after an act is shown where it includes the event, without stating what that is,
    /// and otherwise says that the act is recorded.
    private static func checkConsole(_ client: WebClient, _ id: String) async throws {
        let page = "/console/production/subscriptions/\(id)"
        let shown = try await client.get("\(page)?done=2")
        #expect(shown.status == 200 && !shown.text.contains("Done: it is event"))
        #expect(shown.text.contains("The database cannot be reached"))
        let behind = try await client.get("\(page)?done=3")
        #expect(behind.status == 503 && behind.text.contains("projectionBehind"))
        #expect(behind.text.contains("whether event #3 is the decision just made"))
    }

    /// What assistants and operators learn while the database is away, from a node that was not
    /// asked for its status before.
    private static func checkTools(_ client: WebClient, _ id: String) async throws {
        let status = try await client.get("/v1/status")
        #expect(status.status == 200 && status.json["ready"]?.bool == false)
        #expect(status.json["quarantine"]?.array == [])
        let missing = try await MCPRouteTests.call(client, "missing", "{}")
        #expect(missing["isError"]?.bool == false)
        let said = MCPRouteTests.text(missing)
        #expect(said.contains("Intake does not work: "))
        #expect(said.contains("In quarantine: unknown."))
        let access = try await MCPRouteTests.call(
            client, "access", #"{"subscription":"\#(id)"}"#)
        // The header would be that of an environment which the call does not name.
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let response = try await client.post("/mcp", Array(ping.utf8))
        #expect(response.status == 200 && response.headers[age] == nil)
        for text in [said, MCPRouteTests.text(access)] {
            #expect(text.contains("The log could not be read for "))
            #expect(text.hasSuffix(" s; newer events may be missing."))
        }
    }
}
