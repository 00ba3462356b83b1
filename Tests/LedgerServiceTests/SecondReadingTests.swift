import AppStore
import Intake
import LedgerStore
import Projection
import Queries
import Service
import Signing
import Simulator
import Testing

/// Findings of a second review of the service: each was a defect once.
@Suite("Second review of the service")
struct SecondReadingTests {
    private let foreign = MadeChain(id: "580000000000001", bundleId: "com.example.other")

    private func retry(_ ledger: TemporaryLedger) async throws -> IngestSummary {
        try await ledger.ledger {
            try await Quarantine(ledger: $0).retry(
                apps: ledger.configuration.apps, verifier: ledger.verifier
            )
        }
    }

    private func items(_ ledger: TemporaryLedger) async throws -> [QuarantineItem] {
        try await ledger.ledger { try await Quarantine(ledger: $0).items() }
    }

    /// `design.md` §2: a received time that a line claims is kept, and marked claimed.
    @Test("Through the quarantine, a line keeps the receivedAt it claimed")
    func claimThroughQuarantine() async throws {
        var ledger = try TemporaryLedger()
        let delivery = foreign.bought()
        _ = try await ledger.ingest([delivery])
        ledger.configuration.apps.append(
            Configuration.App(bundleId: BundleId(foreign.bundleId)))
        #expect(try await retry(ledger).appended == 1)
        let event = try #require(try await ledger.exportLines(.events).first)
        #expect(event["receivedAt"]?.string == delivery.receivedAt.rfc3339)
        #expect(event["receivedAtClaimed"]?.bool == true)
    }

    /// `contract.md`, `ingest`: a bounded copy of what is rejected is kept.
    @Test("Two lines over the bound are two items, each with a bounded copy")
    func oversizedCopies() async throws {
        let ledger = try TemporaryLedger()
        let lines = ["a", "b"].map {
            [UInt8](repeating: Character($0).asciiValue ?? 0, count: 5_000_000)
        }
        let summary = try await ledger.ingest(lines)
        #expect(summary.rejected == 2)
        let items = try await items(ledger)
        #expect(items.count == 2)
        for item in items { #expect(item.byteCount > 0) }
    }

    @Test("A retry neither multiplies the remaining items nor changes their reasons")
    func retryIsStable() async throws {
        let ledger = try TemporaryLedger()
        let long = try TestAuthority.signer.sign(
            Array((#"{"pad":""# + String(repeating: "x", count: 300_000) + #""}"#).utf8))
        let endless = [UInt8](repeating: UInt8(ascii: "a"), count: 5_000_000)
        _ = try await ledger.ingest([Array(long.utf8), endless])
        let before = try await items(ledger).map(\.code)
        #expect(before == ["payloadTooLarge", "payloadTooLarge"])
        _ = try await retry(ledger)
        #expect(try await items(ledger).map(\.code) == before)
    }

    /// A body that Apple does not send must not pass for an empty one.
    @Test(
        "A statuses body with malformed groups is reported",
        arguments: [
            #"{"data":[1]}"#, #"{"data":[{"lastTransactions":"x"}]}"#, #"{"data":[{}]}"#,
        ])
    func malformedStatuses(body: String) async throws {
        let summary = try await TemporaryLedger().ingest([Array(body.utf8)])
        #expect(summary.rejected == 1)
        #expect(summary.errors.map(\.code) == ["undecodablePayload"])
    }

    @Test("A report time zone that does not exist is an error")
    func reportTimeZone() {
        #expect(throws: ConfigurationError.self) {
            try ServiceConfiguration(yaml: "reportTimeZone: Mars/Olympus")
        }
    }
}
