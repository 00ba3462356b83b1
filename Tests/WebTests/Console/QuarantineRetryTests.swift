import AppStore
import HTTPTypes
import Intake
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Service
import Signing
import Testing

@testable import Web

@Suite("Retry of the quarantine in the console")
struct QuarantineRetryTests {
    @Test("Evidence that names no environment stays until an operator states it")
    func unnamedEnvironment() async throws {
        let line = try MadeChain(environment: nil).bought().line()
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            let ledger = try host.ledger(.production).ledger
            let ingest = Ingest(
                ledger: ledger, apps: host.configuration.apps,
                verifier: EvidenceVerifier(roots: TestAuthority.roots), isEnvironmentNamed: false,
                clock: host.clock)
            let summary = try await ingest.run(lines: [line], input: "made")
            #expect(summary.errors.map(\.code) == ["environmentMissing"])
            let answer = try await client.submit(
                "/console/production/quarantine/retry", "key=k1&actor=sara&reason=r".utf8)
            #expect(answer.status == 303)
            #expect(try await ledger.operations.quarantineCount() == 1)
            #expect(try await ledger.log.head().position == 0)
        }
    }

    @Test("The list shows when an item was received first and last, under the names of the JSON")
    func times() async throws {
        let (first, latest) = (ServedPlace.now, ServedPlace.now.advanced(byMilliseconds: 60_000))
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            let operations = try host.ledger(.production).ledger.operations
            for time in [first, latest] {
                _ = try await operations.quarantine(
                    NewQuarantineItem(
                        receivedAt: time, standing: .unverifiable, code: "malformedJWS",
                        message: "It is none.", bytes: [1], input: "made"))
            }
            let list = try await client.get("/v1/quarantine").json["items"]?.array?.first
            let page = try await client.get("/console/production/quarantine").text
            for (name, label, time) in [
                ("receivedAt", "Received (UTC)", first), ("latestAt", "Latest", latest),
            ] {
                #expect(list?[name]?.string == time.rfc3339)
                let cell = "<td data-label=\"\(label)\"><time datetime=\"\(time.rfc3339)\""
                #expect(page.contains(cell), "\(name)")
            }
        }
    }

    @Test("A retry cut short by the shutdown has no result, and the same request goes on")
    func cutShort() async throws {
        let foreign = MadeChain(bundleId: "com.example.other")
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            let body = MadePurchase.body(try foreign.bought().token())
            #expect(try await client.notify(body).status == 503)
            let order = CommandIntake.Order(actor: "sara", reason: "ticket 7", key: "r")
            let outcome = await withThrowingTaskGroup(of: OperatorAct<IngestSummary>.self) {
                group in
                group.cancelAll()
                group.addTask {
                    try await host.retryQuarantine(order, .production, isEnvironmentNamed: true)
                }
                return await group.nextResult()
            }
            #expect(throws: ServingError.stopping) { try outcome?.get() }
            let again = try await host.retryQuarantine(
                order, .production, isEnvironmentNamed: true)
            #expect(!again.isRepeated && again.value.read == 1)
        }
    }
}
