import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Signing
import Simulator
import TestSupport
import Testing

/// What intake does with evidence that it cannot append at once: it refuses it, keeps a copy in
/// quarantine, and retries.
@Suite("Refused and quarantined evidence")
struct RefusedEvidenceTests {
    private let chain = MadeChain(id: "590000000000002")
    private let foreign = MadeChain(id: "590000000000001", bundleId: "com.example.other")

    @Test("Evidence that found no room in quarantine is counted and reported")
    func notKept() async throws {
        let ledger = try TemporaryLedger()
        let lines = try (0...QuarantineLimits.foreignCountPerBundle).map { index in
            let chain = MadeChain(
                id: String(590_000_000_100_000 + index), bundleId: foreign.bundleId)
            return try chain.bought().line()
        }
        let summary = try await ledger.ingest(lines)
        #expect(summary.quarantined == Int64(lines.count))
        #expect(summary.notKept == 1)
        #expect(summary.errors.last?.message.contains("ingest this again") == true)
    }

    @Test("A body of more pieces than the limit is refused whole; one at the limit is read")
    func pieces() async throws {
        let ledger = try TemporaryLedger()
        for (count, read) in [(1_000, 1_000), (1_001, 1)] {
            let items = Array(repeating: "0", count: count).joined(separator: ",")
            let summary = try await ledger.ingest([
                Array(#"{"signedTransactions":[\#(items)]}"#.utf8)
            ])
            #expect(summary.read == Int64(read))
            #expect(summary.rejected == Int64(read))
        }
    }

    @Test("Events from quarantine count as received when they were first delivered")
    func firstDelivery() async throws {
        var ledger = try TemporaryLedger()
        let delivered = ledger.now
        _ = try await ledger.ingest([Array(try foreign.bought().token().utf8)])
        ledger.now = delivered.advanced(byMilliseconds: 86_400_000)
        ledger.configuration.apps.append(
            Configuration.App(bundleId: BundleId(foreign.bundleId)))
        let summary = try await retry(ledger)
        #expect(summary.appended == 1)
        let event = try #require(try await ledger.exportLines(.events).first)
        #expect(event["receivedAt"]?.string == delivered.rfc3339)
        #expect(event["receivedAtClaimed"]?.bool == false)
    }

    @Test("Genuine evidence of a configured app is kept though this version cannot decode it")
    func undecodable() async throws {
        let ledger = try TemporaryLedger()
        let app = #""bundleId":"\#(chain.bundleId)""#
        let parts = ["data", "summary", "externalPurchaseToken", "appData"]
        // More than would be kept of another app, the app named in each part and beside them.
        let named = parts.map { #""\#($0)":{\#(app)}"# } + [app]
        let lines = try (0...QuarantineLimits.foreignCountPerBundle).map { index in
            let payload = """
                {"notificationType":"SUBSCRIBED","notificationUUID":"u\(index)","signedDate":"soon",
                \(named[index % named.count])}
                """
            return try TestAuthority.shared.sign(Array(payload.utf8))
        }
        let summary = try await ledger.ingest(lines)
        #expect(summary.rejected == Int64(lines.count))
        #expect(summary.errors.allSatisfy { $0.code == "undecodablePayload" })
        let items = try await items(ledger)
        #expect(items.count == lines.count)
        #expect(items.allSatisfy { $0.standing == .genuineConfigured })
    }

    @Test("What only a local certificate signed has the lowest trust")
    func trust() {
        #expect(Trust(.apple) == .signed)
        #expect(Trust(.extraRoot(SHA256.hash([1]))) == .signed)
        #expect(Trust(.local) == .xcode)
    }

    @Test("What only a local certificate signed is never kept as genuine")
    func local() async throws {
        let ledger = try TemporaryLedger(environment: .xcode)
        var shape = AuthorityShape()
        shape.presentation = .leafOnly
        let authority = try Authority(shape: shape)
        func signed(_ payload: String) throws -> String {
            String(decoding: try authority.sign(Array(payload.utf8)), as: UTF8.self)
        }
        let app = #""bundleId":"\#(chain.bundleId)""#
        let undated = try signed(
            #"{"notificationType":"TEST","signedDate":"soon","data":{\#(app)}}"#)
        let nested = try signed(
            #"{"notificationType":"TEST","data":{\#(app),"environment":"Xcode","#
                + #""signedTransactionInfo":""}}"#)
        let transaction = try signed(#"{"transactionId":"1","signedDate":"soon",\#(app)}"#)
        let renewal = try signed(#"{"autoRenewStatus":1,"signedDate":"soon"}"#)
        let genuine = try MadeDelivery(
            receivedAt: chain.start,
            evidence: .transaction(chain.transaction(0, signed: chain.start))
        ).token()
        let purchase = ReceiptContents.subscription(
            productId: chain.product, transactionId: "0", originalTransactionId: "",
            purchaseDate: chain.start, expiresDate: chain.start(1))
        let contents = ReceiptContents(
            type: .xcode, bundleId: chain.bundleId, creationDate: chain.start,
            purchases: [purchase])
        let receipt = try Data(ReceiptAuthority.signAsXcode(payload: contents.payload))
        let lines = [
            undated, nested, #"{"signedTransactionInfo":"\#(transaction)"}"#,
            #"{"signedTransactionInfo":"\#(genuine)","signedRenewalInfo":"\#(renewal)"}"#,
            #"{"receipt":"\#(receipt.base64EncodedString())"}"#,
        ]
        let summary = try await ledger.ingest(lines.map { Array($0.utf8) })
        let undecodable = "undecodablePayload"
        #expect(
            summary.errors.map(\.code)
                == [undecodable, "nestedPartInvalid", undecodable, undecodable, undecodable])
        let standings = try await items(ledger).map(\.standing)
        #expect(standings == Array(repeating: .unverifiable, count: lines.count))
    }

    @Test("One transactionId of two apps is no conflict and no contradiction")
    func twoApps() async throws {
        var ledger = try TemporaryLedger()
        ledger.configuration.apps.append(
            Configuration.App(bundleId: BundleId(foreign.bundleId)))
        var twin = chain
        twin.bundleId = foreign.bundleId
        let signed = chain.start.advanced(byMilliseconds: 1_000)
        let summary = try await ledger.ingest(
            [chain, twin].map { chain in
                MadeDelivery(
                    receivedAt: signed, evidence: .transaction(chain.transaction(0, signed: signed))
                )
            })
        #expect(summary.appended == 2)
        #expect(summary.conflicts == 0)
        let shown = try await ledger.exportLines(.subscriptions)
        #expect(shown.count == 2)
        #expect(shown.allSatisfy { $0["notices"]?.array?.isEmpty == true })
    }

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

    /// `Log.md` §2: a received time that a line claims is kept, and marked claimed.
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

    /// `Contract.md`, `ingest`: a bounded copy of what is rejected is kept.
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

    @Test("Each error of a retry names its item")
    func retriedItems() async throws {
        let ledger = try TemporaryLedger()
        let lines = [foreign.bought(), foreign.renewed(1)]
        #expect(try await ledger.ingest(lines).quarantined == 2)
        let ids = try await items(ledger).map(\.id)
        #expect(ids.count == 2)
        #expect(try await retry(ledger).errors.map(\.input) == ids.map { "quarantine \($0)" })
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
    @Test("A statuses body with malformed groups is reported")
    func malformedStatuses() async throws {
        let bodies = [
            #"{"data":[1]}"#, #"{"data":[{"lastTransactions":"x"}]}"#, #"{"data":[{}]}"#,
        ]
        let summary = try await TemporaryLedger().ingest(bodies.map { Array($0.utf8) })
        #expect(summary.rejected == 3)
        #expect(summary.errors.map(\.code) == bodies.map { _ in "undecodablePayload" })
    }
}
