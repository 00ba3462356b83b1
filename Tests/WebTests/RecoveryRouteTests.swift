import AppStore
import HTTPTypes
import LedgerStore
import LedgerTestSupport
import Projection
import Service
import Testing

@testable import Web

@Suite("Recoveries by operators")
struct RecoveryRouteTests {
    /// Ten days of Apple's history.
    private static let window = [
        "from": RecoveryWorld.days(20).rfc3339, "to": RecoveryWorld.days(10).rfc3339,
    ]

    private static func body(_ members: [String: String]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            for (key, value) in members.sorted(by: { $0.key < $1.key }) { json.member(key, value) }
        }
        return json.bytes
    }

    private static func start(
        _ client: WebClient, _ members: [String: String] = window, key: String? = nil
    ) async throws -> WebClient.Answer {
        try await client.post(
            "/v1/recoveries", body(members), .decision(key: key))
    }

    private func serve(
        _ body: @escaping @Sendable (WebClient, LedgerHost) async throws -> Void
    ) async throws {
        var place = try ServedPlace()
        place.now = RecoveryWorld.now
        let world = try RecoveryWorld()
        let apple = try world.client(world.apple())
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            host.reach.use([RecoveryWorld.app: apple])
            try await body(client, host)
        }
    }

    @Test("Without a key, or where Apple has no such environment, none is started or offered")
    func local() async throws {
        var place = try ServedPlace()
        place.environments = [.production, .xcode]
        let world = try RecoveryWorld()
        let apple = try world.client(world.apple())
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let keyless = try await RecoveryRouteTests.start(client)
            #expect(keyless.status == 422 && keyless.code == "missingKey")
            host.reach.use([RecoveryWorld.app: apple])
            for (name, isOffered) in [("production", true), ("xcode", false)] {
                let page = try await client.get("/console/\(name)/recoveries")
                #expect(page.status == 200)
                #expect(page.text.contains("Recover a window") == isOffered, "\(name)")
            }
            let answer = try await client.post(
                "/v1/recoveries?environment=xcode",
                RecoveryRouteTests.body(RecoveryRouteTests.window), .decision())
            #expect(answer.status == 422 && answer.code == "missingKey")
        }
    }

    @Test("A window that is none is refused; while another recovery has the lease, none is started")
    func windows() async throws {
        try await serve { client, host in
            let (from, to) = (RecoveryWorld.days(20).rfc3339, RecoveryWorld.days(10).rfc3339)
            for (members, code) in [
                ([:], "invalidTime"), (["from": "soon"], "invalidTime"),
                (["from": from, "to": "soon"], "invalidTime"),
                (["from": to, "to": from], "invalidTime"), (["from": to, "to": to], "invalidTime"),
                (["from": RecoveryWorld.now.rfc3339], "invalidTime"),
                (
                    [
                        "from": RecoveryWorld.now.rfc3339,
                        "to": RecoveryWorld.now.advanced(byMilliseconds: 1_000).rfc3339,
                    ], "invalidTime"
                ),
                (["from": from, "bundleId": "com.example.other"], "missingKey"),
                (["from": from, "until": to], "invalidBody"),
            ] as [([String: String], String)] {
                let answer = try await RecoveryRouteTests.start(client, members)
                #expect(answer.code == code, "\(members)")
            }
            let list = try await host.recoveries(.production)
            #expect(list.started.isEmpty && list.open.isEmpty && list.reports.isEmpty)
            let lease = try await host.ledger(.production).ledger.operations.lease(.recovery)
            #expect(lease != nil)
            let answer = try await RecoveryRouteTests.start(client)
            withExtendedLifetime(lease) {}
            #expect(answer.status == 409 && answer.code == "recoveryRunning")
            #expect(try await client.get("/v1/recoveries").json["started"]?.array == [])
        }
    }

    @Test("The console says whether anything was refused, not that a report is complete")
    func results() async throws {
        try await serve { client, host in
            let operations = try host.ledger(.production).ledger.operations
            for isFlawed in [false, true] {
                try await operations.endRecovery(
                    "a",
                    keeping: StoredReport(
                        bundleId: RecoveryWorld.app, endedAt: RecoveryWorld.now,
                        isFlawed: isFlawed, json: "{}", text: "Recovered."))
            }
            let list = try await client.get("/console/production/recoveries").text
            for (number, result) in [(1, "nothing refused"), (2, "some refused")] {
                let page = try await client.get("/console/production/recoveries/\(number)").text
                #expect(list.contains(">\(result)<"), "\(list)")
                #expect(page.contains(": \(result)."), "\(page)")
            }
        }
    }

    @Test("It runs in the background to its report, which is stored, and is not started twice")
    func recovered() async throws {
        try await serve { client, host in
            let started = try await RecoveryRouteTests.start(client, key: "k")
            #expect(started.status == 200)
            let id = try #require(started.json["id"]?.string)
            #expect(started.json["bundleId"]?.string == RecoveryWorld.app.rawValue)
            var job: JSONValue?
            while job?["endedAt"]?.string == nil {
                job = try await client.get("/v1/recoveries/\(id)").json
            }
            #expect(job?["state"]?.string == "finished")
            let appended = try #require(job?["progress"]?["appended"]?.int64)
            #expect(appended > 0)
            let head = try await host.end()
            #expect(head >= appended)
            #expect(job?["report"]?["position"]?.int64 == head)
            let again = try await RecoveryRouteTests.start(client, key: "k")
            #expect(again.json["id"]?.string == id)
            #expect(again.headers[.idempotencyReplayed] == "true")
            let list = try await client.get("/v1/recoveries").json
            #expect(list["started"]?.array?.count == 1)
            #expect(list["open"]?.array == [])
            let stored = try #require(list["reports"]?.array?.first?["id"]?.string)
            let report = try await client.get("/v1/recoveries/\(stored)").json
            #expect(report["report"]?["fetched"] == job?["report"]?["fetched"])
            #expect(
                try await client.get("/v1/recoveries/\(id)?environment=sandbox").code
                    == "noSuchRecovery")
        }
    }
}
