import AppStore
import AppStoreAPI
import AppleSync
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Signing
import Simulator
import TestSupport
import Testing

@testable import Service

@Suite("Intake of receipts")
struct ReceiptIntakeTests {
    private let chain = MadeChain()

    private func place() throws -> TemporaryLedger {
        var ledger = try TemporaryLedger()
        ledger.roots = try ledger.roots.adding(TestAuthority.receipts.rootDER)
        return ledger
    }

    /// Retried while answers are behind, as the response advises: a loaded machine may take longer
    /// than one query waits.
    private static func ask(
        _ host: LedgerHost, _ body: [UInt8]
    ) async -> Result<ServedAnswer, any Error> {
        for _ in 0..<60 {
            do {
                return .success(try await host.takeReceipt(body, key: nil, sender: "test"))
            } catch ServingError.projectionBehind {
                continue
            } catch {
                return .failure(error)
            }
        }
        return await Result { try await host.takeReceipt(body, key: nil, sender: "test") }
    }

    private func base64(
        _ chains: [MadeChain], through period: Int, cancelled: Timestamp? = nil
    ) throws -> [UInt8] {
        let contents = ReceiptContents(
            type: .production, bundleId: MadeChain.app,
            creationDate: chain.start(period, 60_000),
            purchases: chains.flatMap { made in
                (0...period).map { number in
                    ReceiptContents.subscription(
                        productId: made.product, transactionId: made.transactionId(number),
                        originalTransactionId: made.id, purchaseDate: made.start(number),
                        expiresDate: made.start(number + 1),
                        cancellationDate: number == period ? cancelled : nil)
                }
            })
        return Base64.standard.encode(try TestAuthority.receipts.sign(contents))
    }

    private func check(_ ledger: TemporaryLedger) async throws -> [RebuildCheck.Difference] {
        try await ledger.session { session in
            try await RebuildCheck(try #require(session.projector)).run().differences
        }
    }

    @Test("In base64, as a member, with a time: the same event")
    func forms() async throws {
        let ledger = try place()
        let receipt = try base64([chain], through: 1)
        #expect(try await ledger.ingest([receipt]).appended == 1)
        for member in ["receipt", "receipt-data"] {
            var json = JSONWriter()
            json.object {
                $0.member("receivedAt", 1_768_046_400_000 as Int64)
                $0.member(member, String(decoding: receipt, as: UTF8.self))
            }
            #expect(try await ledger.ingest([json.bytes]).duplicates == 1)
        }
        let shown = try await ledger.show(chain.id, at: chain.start(1, 70_000))
        #expect(shown["state"]?.string == "renewing")
        #expect(shown["trust"]?.string == "signed")
    }

    @Test("An ingested receipt is in the export, and verified by the audit")
    func exported() async throws {
        let ledger = try place()
        _ = try await ledger.ingest([
            try base64([chain], through: 1), chain.verifyReceipt(through: 1, at: chain.start(1)),
        ])
        let lines = try await ledger.export(.events) { $0.withEvidence = true }
            .split(separator: "\n").map { Array($0.utf8) }
        let again = try place()
        let summary = try await again.ingest(lines)
        #expect(summary.appended == 2)
        #expect(summary.errors.isEmpty)
        let report = try await ledger.audit(by: ledger.verifier)
        #expect(report.isSound)
        #expect(report.signaturesVerified == 1)
        // Under other roots the signature does not verify.
        let stranger = EvidenceVerifier(roots: TestAuthority.roots)
        #expect(try await !ledger.audit(by: stranger).isSound)
    }

    @Test("Chains of one receipt are folded again each time one comes")
    func incremental() async throws {
        let ledger = try place()
        var other = MadeChain()
        other.id = "600000000000001"
        _ = try await ledger.ingest([chain.bought()])
        _ = try await ledger.show(chain.id, at: chain.start(0, 10_000))
        for period in 0...2 {
            _ = try await ledger.ingest([try base64([chain, other], through: period)])
            for id in [chain.id, other.id] {
                let shown = try await ledger.show(id, at: chain.start(period, 70_000))
                #expect(shown["state"]?.string == (period == 0 ? "subscribed" : "renewing"))
            }
            #expect(try await check(ledger).isEmpty)
        }
    }

    @Test("A refund stated only by the receipt ends access, at its date")
    func refunded() async throws {
        let ledger = try place()
        _ = try await ledger.ingest([chain.bought()])
        _ = try await ledger.ingest([
            try base64([chain], through: 0, cancelled: chain.start(0, 30_000))
        ])
        let shown = try await ledger.show(chain.id, at: chain.start(0, 40_000))
        #expect(shown["state"]?.string == "revoked")
        #expect(shown["price"]?["milliunits"]?.int64 == 9990)
    }

    /// A receipt that names a chain of the simulated Apple.
    private static func knownReceipt() throws -> [UInt8] {
        let id = try #require(AskedApple.longLife)
        return try TestAuthority.receipts.sign(
            ReceiptContents(
                type: .production, bundleId: MadeChain.app,
                creationDate: AskedApple.now.advanced(byMilliseconds: -60_000),
                purchases: [
                    ReceiptContents.subscription(
                        productId: "com.example.pro.monthly", transactionId: id,
                        purchaseDate: AskedApple.now.advanced(byMilliseconds: -400 * 86_400_000),
                        expiresDate: AskedApple.now.advanced(byMilliseconds: -370 * 86_400_000))
                ]))
    }

    @Test("Where Apple can be asked, the answer to a receipt includes Apple's data")
    func asked() async throws {
        var ledger = try place()
        ledger.configuration.apps = [Configuration.App(bundleId: AskedApple.app)]
        let apple = try AskedApple()
        let receipt = try Self.knownReceipt()
        func body(customer: String?) -> [UInt8] {
            var json = JSONWriter()
            json.object {
                $0.member(
                    "receipt", String(decoding: Base64.standard.encode(receipt), as: UTF8.self))
                $0.memberIfPresent("customer", customer)
            }
            return json.bytes
        }
        try await ledger.serve(at: AskedApple.now) { host in
            // However long the first opening takes here.
            _ = try? await host.ledgers[0].snapshot(limit: .seconds(120))
            // Before Apple has sent the owner's token, no customer gets it.
            let dead = try AskedApple()
            dead.transport.cut(after: 0)
            host.reach.use([AskedApple.app: dead.client], dead.books(ledger, host))
            let unrequested = await ReceiptIntakeTests.ask(host, body(customer: "copier"))
            host.reach.use([AskedApple.app: apple.client], apple.books(ledger, host))
            let answer = await ReceiptIntakeTests.ask(host, body(customer: nil))
            apple.transport.cut(after: 0)
            let later = await ReceiptIntakeTests.ask(host, body(customer: "payer"))
            let events = try await host.ledgers[0].ledger.log.head().position
            let refused = try JSONValue.parse(try unrequested.get().bytes)
            #expect(refused["asked"]?["failure"]?.string == "appleUnreachable")
            #expect(refused["claims"]?.array?.first?["claim"]?.string == "unasked")
            let none = refused["entitlements"]?.array ?? []
            #expect(none.allSatisfy { $0["active"]?.bool != true })
            let reported = try JSONValue.parse(try answer.get().bytes)
            #expect(reported["asked"]?["chains"]?.int64 == 1)
            // Counted in the log: a response that came too late leaves its events.
            #expect(events > 3)
            #expect(reported["asked"]?["failure"]?.isNull == true)
            let chains = reported["subscriptions"]?.array ?? []
            #expect(chains.count == 1)
            #expect(chains.first?["willRenew"]?.isNull == false)
            // A failed request to Apple removes nothing that is known.
            let cut = try JSONValue.parse(try later.get().bytes)
            #expect(cut["asked"]?["failure"]?.string == "appleUnreachable")
            #expect(cut["subscriptions"]?.array?.count == 1)
            // Apple's earlier data is known: the claim is judged by it.
            let claim = cut["claims"]?.array?.first?["claim"]?.string
            let token = chains.first?["appAccountToken"]?.string
            #expect(claim == (token == nil ? "moved" : "refused"))
        }
    }

    @Test("A repeated receipt adds events up to the day's budget; then it is answered unasked")
    func repeated() async throws {
        var ledger = try place()
        ledger.configuration.apps = [Configuration.App(bundleId: AskedApple.app)]
        let id = try #require(AskedApple.longLife)
        let apple = try AskedApple()
        let receipt = Base64.standard.encode(try Self.knownReceipt())
        var json = JSONWriter()
        json.object { $0.member("receipt", String(decoding: receipt, as: UTF8.self)) }
        let body = json.bytes
        try await ledger.serve(by: apple.clock) { host in
            _ = try? await host.ledgers[0].snapshot(limit: .seconds(120))
            host.reach.use([AskedApple.app: apple.client], apple.books(ledger, host))
            let log = host.ledgers[0].ledger.log
            /// Apple signs statuses anew each time.
            func ask() async throws -> (answer: JSONValue, added: Int64) {
                try await apple.clock.sleep(milliseconds: 60_000)
                let before = try await log.head().position
                let bytes = try await ReceiptIntakeTests.ask(host, body).get().bytes
                let after = try await log.head().position
                return (try JSONValue.parse(bytes), after - before)
            }
            #expect(try await ask().added > 1)
            let again = try await ask()
            #expect(again.answer["result"]?.string == "duplicate")
            #expect(again.added > 0)
            let chain = ChainId(
                bundleId: AskedApple.app, originalTransactionId: OriginalTransactionId(id))
            var left = 0
            while host.uploadBudget.take(chain, .production, at: apple.clock.now) { left += 1 }
            // The receipt took one, each round of requests another; one is repeated while answers
            // are behind.
            #expect(left <= UploadBudget.eventCountPerDay - 3)
            let (beyond, added) = try await ask()
            #expect(added == 0)
            #expect(beyond["asked"]?["requests"]?.int64 == 0)
            #expect(beyond["asked"]?["failure"]?.string == "uploadBudgetExhausted")
            #expect(beyond["subscriptions"]?.array?.count == 1)
        }
    }

    @Test("Requests that add nothing take nothing of the budget, also where the log is lost then")
    func lost() async throws {
        // given: two chains that Apple does not know, and a log that is removed between them
        var ledger = try place()
        ledger.configuration.apps = [Configuration.App(bundleId: AskedApple.app)]
        let path = ledger.environmentDirectory + "/log.sqlite"
        let apple = try AskedApple(onAnswer: { request, _ in
            guard request.url.contains("/history/") else { return }
            try? FileManager.default.removeItem(atPath: path)
        })
        let other = MadeChain(id: "600000000000001")
        let receipt = try base64([chain, other], through: 0)
        var json = JSONWriter()
        json.object { $0.member("receipt", String(decoding: receipt, as: UTF8.self)) }
        let body = json.bytes
        try await ledger.serve(at: AskedApple.now) { host in
            _ = try? await host.ledgers[0].snapshot(limit: .seconds(120))
            host.reach.use([AskedApple.app: apple.client], apple.books(ledger, host))
            // when
            let answer = await ReceiptIntakeTests.ask(host, body)
            // then: the receipt alone was counted
            #expect(throws: StoreError.self) { try answer.get() }
            let lowest = ChainId(
                bundleId: AskedApple.app, originalTransactionId: OriginalTransactionId(chain.id))
            var left = 0
            while host.uploadBudget.take(lowest, .production, at: AskedApple.now) { left += 1 }
            #expect(left == UploadBudget.eventCountPerDay - 1)
        }
    }
}

extension AskedApple {
    /// The ledgers of a host, for responses.
    fileprivate func books(_ ledger: TemporaryLedger, _ host: LedgerHost) -> EnvironmentLedgers {
        EnvironmentLedgers(
            ledger.configuration, apps: ledger.configuration.apps, verifier: ledger.verifier,
            revocation: nil, ledgers: host.ledgers.map(\.ledger)
        ) { [clock] in clock.now }
    }
}
