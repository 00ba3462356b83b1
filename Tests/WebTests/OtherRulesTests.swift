import AppStore
import Intake
import Ledger
import LedgerTestSupport
import SQLiteStore
import Service
import TestSupport
import Testing

@testable import Web

@Suite("An MCP command beside a service of other rules")
struct OtherRulesTests {
    private static let limit: Duration = .seconds(120)

    private static func call(
        _ server: MCPServer, _ tool: String, _ arguments: String
    ) async throws -> JSONValue {
        let line = MCPRouteTests.message(
            "tools/call", #"{"name":"\#(tool)","arguments":\#(arguments)}"#)
        let written = try #require(await server.response(toLine: line, isTooLong: false))
        return try JSONValue.parse(written)["result"] ?? .null
    }

    @Test("The command builds its projections once, then refuses; the service logs its rebuild")
    func once() async throws {
        let codes = LogCodes()
        var place = try ServedPlace()
        place.logger = codes.logger
        var changed = place.configuration
        changed.catalogue.leewayMilliseconds += 1
        let configuration = changed
        let directory = place.directory(of: .production)
        let files = DerivedFiles.projections(in: directory)
        let purchase = MadePurchase()
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let show = "/v1/subscriptions/\(purchase.id)"
            #expect(try await client.notify(purchase.notificationBody(0)).status == 200)
            // The command replaces the projections of an idle service.
            _ = try await ProjectorLock.held(directory: directory)
            let host = try await LedgerHost.open(
                configuration, environments: [.production], roots: TestAuthority.roots,
                steady: nil, waitLimit: OtherRulesTests.limit
            ) { ServedPlace.now }
            async let following: Void = host.run(isServing: false)
            let result = await Result { () async throws -> String? in
                let served = try host.ledger(.production)
                _ = try await served.snapshot(atLeast: 1)
                // Answered from the files of the service, which it has built again.
                #expect(try await client.notify(purchase.notificationBody(1)).status == 200)
                #expect(try await client.ask("\(show)?minPosition=2").status == 200)
                #expect(codes.all.filter { $0 == "projectionsOtherRules" }.count == 1)
                let path = files.current()
                #expect(try await client.notify(purchase.notificationBody(2)).status == 200)
                await #expect(throws: ServingError.otherRules) {
                    try await served.snapshot(atLeast: 3)
                }
                let server = MCPServer(host: host, environment: .production, isServing: false)
                let subject = #"{"subscription":"\#(purchase.id)"}"#
                for (tool, arguments) in [
                    ("find", #"{"text":"a"}"#), ("access", subject), ("timeline", subject),
                    ("metrics", "{}"), ("missing", "{}"),
                ] {
                    let refused = try await OtherRulesTests.call(server, tool, arguments)
                    #expect(refused["isError"]?.bool == true, "\(tool)")
                    let said = refused["structuredContent"]
                    #expect(said?["code"]?.string == "otherRules", "\(tool)")
                    #expect(said?["retryAfterSeconds"] == nil, "\(tool)")
                }
                let evidence = try await OtherRulesTests.call(
                    server, "evidence", #"{"position":1}"#)
                #expect(evidence["isError"]?.bool == false)
                return path
            }
            host.stop()
            await following
            // Nor does it build them when it ends.
            let path = try result.get()
            #expect(path != nil && files.current() == path)
            #expect(try await client.ask("\(show)?minPosition=3").status == 200)
            #expect(codes.all.filter { $0 == "projectionsOtherRules" }.count == 1)
        }
    }
}
