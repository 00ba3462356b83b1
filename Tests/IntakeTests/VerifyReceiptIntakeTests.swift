import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Projection
import Queries
import TestSupport
import Testing

@Suite("Intake of verifyReceipt responses")
struct VerifyReceiptIntakeTests {
    private let chain = MadeChain()

    @Test("A response without a receipt that Apple confirms is refused")
    func refused() async throws {
        let statuses = [21002, 21003, 21004, 21005, 21007, 21008, 21010, 21150]
        let summary = try await TemporaryLedger().ingest(
            statuses.map { chain.verifyReceipt(through: 1, at: chain.start(1), status: $0) })
        #expect(summary.errors.map(\.code) == statuses.map { _ in "receiptRefusedByApple" })
        #expect(summary.appended == 0)
    }

    @Test("Valid, or valid but expired: an event whose trust is the connection")
    func taken() async throws {
        let ledger = try TemporaryLedger()
        let summary = try await ledger.ingest([
            chain.verifyReceipt(through: 1, willRenew: false, at: chain.start(1)),
            chain.verifyReceipt(through: 1, willRenew: false, at: chain.start(2), status: 21006),
        ])
        #expect(summary.appended == 2)
        let shown = try await ledger.show(chain.id, at: chain.start(1))
        #expect(shown["state"]?.string == "renewing")
        #expect(shown["willRenew"]?.bool == false)
        #expect(try await ledger.show(chain.id, at: chain.start(2))["state"]?.string == "expired")
        let events = try await ledger.exportLines(.events)
        #expect(events.map { $0["trust"]?.string } == ["transport", "transport"])
        #expect(events.map { $0["kind"]?.string } == ["verifyReceipt", "verifyReceipt"])
        #expect(events[0]["originalTransactionId"]?.string == chain.id)
    }

    @Test(
        "Transactions are accepted up to the limit; one more refuses the response",
        arguments: [0, 1])
    func transactions(excess: Int) async throws {
        let infos = (0..<ReceiptStatements.maximumTransactions + excess).map { number in
            #"{"transaction_id":"\#(number + 1)","original_transaction_id":"1","product_id":"p","#
                + #""purchase_date_ms":"\#(1_700_000_000_000 + number)","#
                + #""expires_date_ms":"\#(1_700_000_000_001 + number)"}"#
        }
        let body = Array(
            (#"{"status":0,"environment":"Production","receipt":{"bundle_id":"\#(MadeChain.app)"},"#
                + #""latest_receipt_info":[\#(infos.joined(separator: ","))]}"#).utf8)
        let summary = try await TemporaryLedger().ingest([body])
        #expect(summary.errors.map(\.code) == (excess == 0 ? [] : ["payloadTooLarge"]))
    }

    @Test("The same response again is a duplicate; a later one is another event")
    func duplicates() async throws {
        let ledger = try TemporaryLedger()
        let body = chain.verifyReceipt(through: 1, at: chain.start(1))
        #expect(try await ledger.ingest([body, body]).duplicates == 1)
        let later = chain.verifyReceipt(through: 1, at: chain.start(1, 1_000))
        #expect(try await ledger.ingest([later]).appended == 1)
    }

    @Test("With its arrival time, as the text of a member")
    func envelope() async throws {
        let ledger = try TemporaryLedger()
        let body = chain.verifyReceipt(through: 0, at: chain.start(0))
        var json = JSONWriter()
        json.object {
            $0.member("receivedAt", "2026-02-01T00:00:00Z")
            $0.member("verifyReceipt", String(decoding: body, as: UTF8.self))
        }
        #expect(try await ledger.ingest([json.bytes]).appended == 1)
        #expect(try await ledger.ingest([body]).duplicates == 1)
        let event = try #require(try await ledger.exportLines(.events).first)
        #expect(event["receivedAtClaimed"]?.bool == true)
    }

    @Test("A response with a password that was quarantined in its envelope is taken on retry")
    func quarantined() async throws {
        var ledger = try TemporaryLedger()
        var other = chain
        other.bundleId = "com.example.other"
        let answer = String(
            decoding: other.verifyReceipt(through: 0, at: chain.start(0)), as: UTF8.self)
        let saved = "{\"password\":\"s3cret\"," + answer.dropFirst()
        var json = JSONWriter()
        json.object {
            $0.member("receivedAt", "2026-02-01T00:00:00Z")
            $0.member("verifyReceipt", saved)
        }
        #expect(try await ledger.ingest([json.bytes]).quarantined == 1)
        ledger.configuration.apps.append(Configuration.App(bundleId: BundleId(other.bundleId)))
        let (apps, verifier) = (ledger.configuration.apps, ledger.verifier)
        let summary = try await ledger.ledger {
            try await Quarantine(ledger: $0).retry(apps: apps, verifier: verifier)
        }
        #expect(summary.appended == 1 && summary.isClean)
    }

    @Test("Responses of another environment or another app are quarantined")
    func elsewhere() async throws {
        let ledger = try TemporaryLedger()
        var other = chain
        other.bundleId = "com.example.other"
        let summary = try await ledger.ingest([
            chain.verifyReceipt(through: 0, at: chain.start(0), environment: "Sandbox"),
            other.verifyReceipt(through: 0, at: chain.start(0)),
            chain.verifyReceipt(through: 0, at: chain.start(0), environment: nil),
        ])
        #expect(summary.errors.map(\.code) == ["wrongEnvironment", "wrongApp"])
        #expect(summary.quarantined == 2)
        #expect(summary.appended == 1)
    }

    @Test("Every published response that Apple confirms is accepted", Fixtures.condition)
    func published() async throws {
        let manifest = try JSONValue.parse(Fixtures.bytes("verifyreceipt/manifest.json"))
        var taken: Int64 = 0
        for entry in try #require(manifest.array) {
            let file = try #require(entry["file"]?.string)
            let bytes = try Fixtures.bytes("verifyreceipt/\(file)")
            let response = try VerifyReceiptResponse(bytes)
            let app = try #require(response.bundleId)
            let isSandbox = response.environment == "Sandbox"
            let ledger = try TemporaryLedger(
                environment: isSandbox ? .sandbox : .production, apps: [app.rawValue])
            let summary = try await ledger.ingest(file: bytes)
            guard response.status.value?.isGenuine == true else {
                #expect(summary.errors.map(\.code) == ["receiptRefusedByApple"], "\(file)")
                continue
            }
            #expect(summary.appended == 1, "\(file) \(summary.errors)")
            taken += summary.appended
            let chains = Set(response.transactions.compactMap(\.originalTransactionId))
            #expect(try await ledger.exportLines(.subscriptions).count <= chains.count)
            let renewing = response.transactions.filter { $0.expiresDate != nil }
            for id in Set(renewing.compactMap(\.originalTransactionId)).prefix(3) {
                let timeline = try await ledger.timeline(id.rawValue)
                #expect(timeline["entries"]?.array != nil, "\(file)")
            }
        }
        #expect(taken >= 13)
    }

    @Test("A rebuild of facts and rows gives the same")
    func rebuilt() async throws {
        let ledger = try TemporaryLedger()
        var other = MadeChain()
        other.id = "600000000000001"
        _ = try await ledger.ingest([
            chain.verifyReceipt(through: 3, at: chain.start(3)),
            other.verifyReceipt(through: 0, at: chain.start(0)),
        ])
        let before = try await ledger.exportLines(.subscriptions)
        let timeline = try await ledger.timeline(chain.id)
        try FileDamage.remove(
            ["facts-\(Fact.decoderVersion).sqlite", "projections.sqlite"],
            in: ledger.environmentDirectory)
        #expect(try await ledger.exportLines(.subscriptions) == before)
        #expect(try await ledger.timeline(chain.id) == timeline)
        #expect(before.count == 2)
    }
}
