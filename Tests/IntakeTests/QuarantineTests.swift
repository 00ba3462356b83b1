import AppStore
import Intake
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Signing
import Simulator
import TestSupport
import Testing

@Suite("The quarantine")
struct QuarantineTests {
    private let foreign = MadeChain(id: "580000000000001", bundleId: "com.example.other")

    private func items(_ ledger: TemporaryLedger) async throws -> [QuarantineItem] {
        try await ledger.ledger { try await Quarantine(ledger: $0).items() }
    }

    private func retry(_ ledger: TemporaryLedger) async throws -> IngestSummary {
        try await ledger.ledger {
            try await Quarantine(ledger: $0).retry(
                apps: ledger.configuration.apps, verifier: ledger.verifier
            )
        }
    }

    @Test("An item has its kind, owner, reason and origin")
    func item() async throws {
        let ledger = try TemporaryLedger()
        let delivery = foreign.bought()
        _ = try await ledger.ingest([delivery])
        let item = try #require(try await items(ledger).first)
        #expect(item.code == "wrongApp")
        #expect(item.standing == .genuineForeign)
        #expect(item.bundleId?.rawValue == foreign.bundleId)
        #expect(item.environment == "Production")
        #expect(item.receivedAt == delivery.receivedAt)
        #expect(item.input.hasSuffix("input.ndjson:1"))
        #expect(item.attempts == 1)
        #expect(item.bytes.isEmpty, "a list holds no bytes")
        let json = try TemporaryLedger.json { item.write(to: &$0, withBytes: false) }
        #expect(json["content"] == nil)
        let whole = try await ledger.ledger { try await $0.operations.quarantineItem(item.id) }
        #expect(whole?.bytes.isEmpty == false)
        #expect(whole.map { Int64($0.bytes.count) } == whole?.byteCount)
    }

    @Test("A line states the first delivery, and of several also the latest, as the JSON does")
    func times() async throws {
        let ledger = try TemporaryLedger()
        let first = ledger.now
        let latest = first.advanced(byMilliseconds: 60_000)
        var texts: [String] = []
        for time in [first, latest] {
            let item = NewQuarantineItem(
                receivedAt: time, standing: .unverifiable, code: "malformedJWS",
                message: "It is none.", bytes: [1], input: "made:1")
            _ = try await ledger.ledger { try await $0.operations.quarantine(item) }
            texts += try await items(ledger).map(\.text)
        }
        let start = "1  received \(first.rfc3339)  malformedJWS  made:1 (1 byte"
        #expect(
            texts == [
                "\(start)): It is none.",
                "\(start), 2 times, latest \(latest.rfc3339)): It is none.",
            ])
    }

    @Test("A foreign environment of a configured app is kept as its own")
    func configured() async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([MadeChain(environment: .sandbox).bought()])
        let item = try #require(try await items(ledger).first)
        #expect(item.standing == .genuineConfigured)
        #expect(item.code == "wrongEnvironment")
        #expect(item.environment == "Sandbox")
    }

    @Test("Evidence of an app is appended once the app is configured, and leaves the quarantine")
    func configuredLater() async throws {
        var ledger = try TemporaryLedger()
        let first = try await ledger.ingest(foreign.life)
        #expect(first.quarantined == 4)
        #expect(try await items(ledger).count == 4)
        let stays = try await retry(ledger)
        #expect(stays.read == 4)
        #expect(stays.quarantined == 4)
        #expect(try await items(ledger).map(\.attempts) == [1, 1, 1, 1])
        ledger.configuration.apps.append(
            Configuration.App(bundleId: BundleId(foreign.bundleId)))
        let taken = try await retry(ledger)
        #expect(taken.appended == 4)
        #expect(taken.isClean)
        #expect(taken.position == 4)
        #expect(try await items(ledger).isEmpty)
        #expect(try await ledger.show(foreign.id)["state"]?.string == "expired")
        let again = try await retry(ledger)
        #expect(again.read == 0)
    }

    @Test("A retry in a cancelled task, as where the service ends, leaves the rest as it is")
    func cancelled() async throws {
        var ledger = try TemporaryLedger()
        _ = try await ledger.ingest(foreign.life)
        ledger.configuration.apps.append(
            Configuration.App(bundleId: BundleId(foreign.bundleId)))
        let (apps, verifier) = (ledger.configuration.apps, ledger.verifier)
        try await ledger.ledger { opened in
            let outcome = await withThrowingTaskGroup(of: IngestSummary.self) { group in
                group.cancelAll()
                group.addTask {
                    try await Quarantine(ledger: opened).retry(apps: apps, verifier: verifier)
                }
                return await group.nextResult()
            }
            let error = #expect(throws: StoreError.self) { try outcome?.get() }
            #expect(error?.code == .closed)
        }
        #expect(try await items(ledger).count == 4)
    }

    @Test("A time far ahead that refused evidence claims is none on retry, too")
    func claimedAhead() async throws {
        var ledger = try TemporaryLedger()
        ledger.now = try Timestamp.stated("2026-06-01T00:00:00.000Z")
        ledger.roots = .apple
        var delivery = MadeChain().bought()
        delivery.receivedAt = ledger.now.advanced(byMilliseconds: 3_600_000)
        #expect(try await ledger.ingest([delivery]).rejected == 1)
        #expect(try await items(ledger).map(\.receivedAt) == [ledger.now])
        ledger.roots = TestAuthority.roots
        #expect(try await retry(ledger).appended == 1)
        let event = try #require(try await ledger.exportLines(.events).first)
        #expect(event["receivedAt"]?.string == ledger.now.rfc3339)
        #expect(event["receivedAtClaimed"]?.bool == false)
    }

    @Test("Evidence that arrived meanwhile by another way is a duplicate and leaves too")
    func arrivedMeanwhile() async throws {
        var ledger = try TemporaryLedger()
        _ = try await ledger.ingest(foreign.life)
        ledger.configuration.apps.append(
            Configuration.App(bundleId: BundleId(foreign.bundleId)))
        _ = try await ledger.ingest(foreign.life)
        let summary = try await retry(ledger)
        #expect(summary.duplicates == 4)
        #expect(summary.appended == 0)
        #expect(try await items(ledger).isEmpty)
    }

    @Test("Evidence under a newly trusted root is verified on retry")
    func trustedLater() async throws {
        var ledger = try TemporaryLedger()
        ledger.roots = .apple
        _ = try await ledger.ingest(MadeChain().life)
        #expect(Set(try await items(ledger).map(\.standing)) == [.unverifiable])
        ledger.roots = TestAuthority.roots
        let summary = try await retry(ledger)
        #expect(summary.appended == 4)
        #expect(try await items(ledger).isEmpty)
    }

    @Test("A forgery stays, whatever is configured, and the rest is appended")
    func forgery() async throws {
        var ledger = try TemporaryLedger()
        let parts = try foreign.bought().token().split(separator: ".")
        let forged = "\(parts[0]).\(parts[1])." + String(repeating: "A", count: 86)
        _ = try await ledger.ingest([Array(forged.utf8), try foreign.renewed(1).line()])
        ledger.configuration.apps.append(
            Configuration.App(bundleId: BundleId(foreign.bundleId)))
        let summary = try await retry(ledger)
        #expect(summary.appended == 1)
        #expect(summary.rejected == 1)
        #expect(try await items(ledger).map(\.code) == ["signatureMismatch"])
    }

    @Test("A pair keeps Apple's status through the quarantine")
    func pair() async throws {
        var ledger = try TemporaryLedger()
        let signed = foreign.start(1).advanced(byMilliseconds: 3_600_000)
        let pair = MadeDelivery(
            receivedAt: signed,
            evidence: .pair(
                foreign.transaction(0, signed: signed), foreign.renewal(0, signed: signed),
                Raw(.billingRetry)))
        _ = try await ledger.ingest([pair])
        ledger.configuration.apps.append(
            Configuration.App(bundleId: BundleId(foreign.bundleId)))
        #expect(try await retry(ledger).appended == 1)
        let show = try await ledger.show(foreign.id, at: signed)
        #expect(show["state"]?.string == "billingRetry")
        #expect(show["appleStatus"]?.int64 == 3)
    }

    @Test("Each piece of a body is kept separately")
    func body() async throws {
        let ledger = try TemporaryLedger()
        let tokens = try [foreign.bought(), foreign.renewed(1)].map { try $0.token() }
        let own = try MadeChain().bought().token()
        let list = (tokens + [own]).map { #"{"signedPayload":"\#($0)"}"# }.joined(separator: ",")
        let summary = try await ledger.ingest([
            Array(#"{"notificationHistory":[\#(list)]}"#.utf8)
        ])
        #expect(summary.quarantined == 2)
        #expect(summary.appended == 1)
        #expect(try await items(ledger).count == 2)
    }
}
