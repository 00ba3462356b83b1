import AppStore
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

@Suite("Erasure of a person")
struct ErasureTests {
    private static let token = "0ab11111-2222-4333-8444-555555555555"
    private let chain = MadeChain(appAccountToken: ErasureTests.token.uppercased())
    private let other = MadeChain(id: "540000000000001")

    /// Eight events of both chains.
    private static let filled = SharedLedger { ledger in
        let tests = ErasureTests()
        _ = try await ledger.ingest(zip(tests.chain.life, tests.other.life).flatMap { [$0, $1] })
    }

    private func ledger() async throws -> TemporaryLedger {
        try await ErasureTests.filled.copy()
    }

    /// Every id that the chain's events hold.
    private var ids: [String] {
        var ids = [chain.id, ErasureTests.token, ErasureTests.token.uppercased()]
        for period in 0...2 {
            ids += [chain.transactionId(period), "6\(chain.transactionId(period))"]
        }
        return ids
    }

    private func code(_ body: () async throws -> Void) async -> String? {
        do { try await body() } catch {
            return (error as? ErasureError)?.code.rawValue ?? (error as? QueryError)?.code
                ?? (error as? CommandError)?.code.rawValue ?? "\(error)"
        }
        return nil
    }

    // MARK: What goes and what stays

    @Test("Nothing of the person is in any file; everything else answers as before")
    func erased() async throws {
        let ledger = try await ledger()
        let before = try await ledger.show(other.id)
        #expect(try !ledger.files(holding: ids).isEmpty)
        let receipt = try await ledger.erase(chains: [chain.id])
        #expect(receipt.plan?.positions == [1, 3, 5, 7] && receipt.position == 9)
        #expect(try ledger.files(holding: ids).isEmpty)
        #expect(try ledger.files(holding: [other.id]).contains("log.sqlite"))
        let after = try await ledger.show(other.id)
        #expect(after.without("position") == before.without("position"))
        #expect(try await ledger.isSound())
        for id in ids {
            #expect(await code { _ = try await ledger.show(id) } == "noSuchSubscription", "\(id)")
        }
        try await ledger.session { session in
            let uuid = "\(chain.id)-SUBSCRIBED-0-\(chain.start.milliseconds + 3_000)"
            for text in ids + [uuid] {
                let found = try await session.snapshot.search(text)
                #expect(found.matches.isEmpty, "\(text)")
            }
        }
    }

    @Test("A life under random ids takes its place, with the same states at the same positions")
    func pseudonym() async throws {
        let ledger = try await ledger()
        let before = try await ledger.timeline(chain.id)
        try await ledger.erase(chains: [chain.id])
        let lines = try await ledger.exportLines(.subscriptions)
        let names = lines.compactMap { $0["originalTransactionId"]?.string }
        let name = try #require(names.first { $0.hasPrefix(Pseudonyms.prefix) })
        #expect(Set(names) == [name, other.id])
        let after = try await ledger.timeline(name)
        let entries = [before, after].map { timeline in
            timeline["entries"]?.array?.map { entry in
                "\(entry["at"]?.string ?? "") \(entry["to"]?.string ?? "")"
                    + "\(entry["fact"]?.string ?? "") \(entry["cause"]?["position"]?.int64 ?? 0)"
            }
        }
        #expect(entries[0] == entries[1] && entries[0]?.isEmpty == false)
        // As known before, too.
        let early = try await ledger.show(name, knowledge: .knownPosition(1))
        #expect(early["position"]?.int64 == 1)
        // It is not erased again.
        let refused = await code { try await ledger.erase(chains: [name]) }
        #expect(refused == "nothingToErase")
    }

    @Test("Proofs and checkpoints of the log as it was hold")
    func proofs() async throws {
        let ledger = try await ledger()
        let before = try await ledger.ledger { try await proof(at: 1, of: $0) }
        try await ledger.erase(chains: [chain.id])
        let after = try await ledger.ledger { try await proof(at: 1, of: $0) }
        #expect(before.isValid && after.isValid)
        #expect(after.root == before.root && after.path == before.path)
        #expect(after.leafHash == before.leafHash)
        let event = try await ledger.ledger { try await $0.log.event(at: 1) }
        #expect(event?.event.knownLeafData == nil && event?.evidence == nil)
    }

    /// The proof of an event in the log of the first eight events.
    private func proof(
        at position: Int64, of ledger: EnvironmentLedger
    ) async throws -> InclusionProof {
        let event = try #require(try await ledger.log.event(at: position)).event
        return try #require(
            try await TreeProver(ledger.log, directory: ledger.directory).proof(of: event, in: 8))
    }

    // MARK: What comes afterwards

    @Test("What Apple sent before is known when it is sent again, and brings nothing back")
    func repeated() async throws {
        let ledger = try await ledger()
        try await ledger.erase(chains: [chain.id])
        let again = try await ledger.ingest(chain.life)
        #expect(again.duplicates == 4 && again.appended == 0 && again.conflicts == 0)
        // Signed again with the same claims, or with others under the same notificationUUID.
        let changed = chain.bought().withTransaction { $0.price = 1 }
        let other = try await ledger.ingest([changed])
        #expect(other.duplicates == 1 && other.conflicts == 0)
        #expect(try ledger.files(holding: ids).isEmpty)
    }

    @Test("A new purchase is a new life, marked as erased before")
    func newLife() async throws {
        let ledger = try await ledger()
        try await ledger.erase(chains: [chain.id])
        let later = chain.notification(.subscribed, .resubscribe, 6, at: chain.start(6))
        _ = try await ledger.ingest([later])
        let show = try await ledger.show(chain.id)
        #expect(show.noticeCodes.contains("erasedBefore"))
        let notice = show["notices"]?.array?.first { $0["code"]?.string == "erasedBefore" }
        #expect(notice?.evidence == [9])
        #expect(try await ledger.isSound())
        // Erased a second time, both are gone.
        let receipt = try await ledger.erase(chains: [chain.id])
        #expect(receipt.plan?.positions == [10])
        #expect(try ledger.files(holding: ids).isEmpty)
        #expect(try await ledger.isSound())
    }

    @Test("Erased twice, by chain or by customer: the second order finds it done")
    func twice() async throws {
        for (chains, customer) in [([chain.id], nil), ([], ErasureTests.token)]
            as [([String], String?)]
        {
            let ledger = try await ledger()
            let first = try await ledger.erase(chains: chains, customer: customer)
            let second = try await ledger.erase(chains: chains, customer: customer)
            #expect(second.position == first.position && second.plan == nil)
            let unknown = await code {
                try await ledger.erase(
                    chains: chains.map { _ in "77" }, customer: customer.map { _ in "c-9" })
            }
            #expect(unknown == "nothingToErase")
        }
    }

    @Test("The same key is the same order; wrong actors and reasons are refused before anything")
    func orders() async throws {
        let ledger = try await ledger()
        for order in [
            CommandIntake.Order(actor: "", reason: "r"),
            CommandIntake.Order(actor: "a", reason: String(repeating: "x", count: 2_001)),
            CommandIntake.Order(actor: "a", reason: "r", key: String(repeating: "k", count: 201)),
        ] {
            #expect(await code { try await ledger.erase(chains: [chain.id], order) } != nil)
        }
        #expect(try await ledger.show(chain.id)["state"]?.string != nil)
        let order = CommandIntake.Order(actor: "a", reason: "r", key: "erase-\(chain.id)")
        let first = try await ledger.erase(chains: [chain.id], order)
        #expect(try ledger.files(holding: ids).isEmpty)
        let second = try await ledger.erase(chains: [chain.id], order)
        #expect(second.position == first.position && second.plan == nil)
        // Of another chain it is another order.
        let reused = await code { try await ledger.erase(chains: [other.id], order) }
        #expect(reused == "idempotencyKeyReused")
        #expect(try await ledger.show(other.id)["state"]?.string != nil)
    }

    @Test("A key that erased one person never answers that another one was erased")
    func reusedKey() async throws {
        let ledger = try await ledger()
        let order = CommandIntake.Order(actor: "a", reason: "r", key: "k")
        let first = try await ledger.erase(customer: ErasureTests.token, order)
        let again = try await ledger.erase(customer: ErasureTests.token, order)
        #expect(again.position == first.position && again.plan == nil)
        for (customer, reason) in [("c-9", "r"), (ErasureTests.token, "s")] {
            let other = CommandIntake.Order(actor: "a", reason: reason, key: "k")
            let refused = await code { try await ledger.erase(customer: customer, other) }
            #expect(refused == "idempotencyKeyReused", "\(customer)")
        }
    }

    // MARK: Customers

    @Test("A customer leaves with every chain that names it, and its decisions")
    func customer() async throws {
        let ledger = try await ledger()
        let customer = CustomerId(token: ErasureTests.token)
        let until = ledger.now.advanced(byMilliseconds: 1_000)
        for action in [
            Command.Action.grant(customer, entitlement: "pro", until: until), .note(customer),
        ] {
            try await ledger.decide(action, actor: "jo", reason: "wrote from jo@example.com")
        }
        let receipt = try await ledger.erase(customer: ErasureTests.token)
        #expect(receipt.plan?.positions == [1, 3, 5, 7, 9, 10])
        #expect(try ledger.files(holding: ids + ["jo@example.com"]).isEmpty)
        #expect(try await ledger.isSound())
    }

    @Test("A chain that another customer holds now is not taken along unless it is named")
    func heldByAnother() async throws {
        let ledger = try await ledger()
        try await ledger.decide(
            .link(CustomerId("c-2")), chain.chainId, actor: "jo", reason: "sold")
        let refused = await code { try await ledger.erase(customer: ErasureTests.token) }
        #expect(refused == "heldByAnother")
        #expect(try await ledger.show(chain.id)["state"]?.string != nil)
        let receipt = try await ledger.erase(
            chains: [chain.id], customer: ErasureTests.token)
        #expect(receipt.plan?.positions == [1, 3, 5, 7, 9])
        #expect(try ledger.files(holding: ids + ["c-2"]).isEmpty)
    }

    @Test("Chains of one receipt are one person's: they are erased together")
    func receipts() async throws {
        let (ledger, second) = try await TemporaryLedger.receiptOfTwo(chain)
        let chains = try await ledger.exportLines(.subscriptions).compactMap {
            $0["originalTransactionId"]?.string
        }
        #expect(Set(chains) == [chain.id, second])
        let receipt = try await ledger.erase(chains: [second])
        #expect(receipt.plan?.chains.count == 2)
        #expect(try ledger.files(holding: chains).isEmpty)
        #expect(try await ledger.isSound())
    }

    @Test("A chain of the same receipt that another customer holds stays unless it is named")
    func receiptHeldByAnother() async throws {
        let (ledger, second) = try await TemporaryLedger.receiptOfTwo(chain)
        for (id, customer) in [(chain.id, "c-anna"), (second, "c-bert")] {
            try await ledger.decide(.link(CustomerId(customer)), ledger.chain(id))
        }
        let refused = await code { try await ledger.erase(customer: "c-anna") }
        #expect(refused == "heldByAnother")
        #expect(try await ledger.show(second)["state"]?.string != nil)
        // An order that names a chain alone says who holds the others.
        let text = try await ledger.session { session in
            try await PersonErasure(session, now: ledger.now)
                .plan(chains: [ledger.chain(chain.id)], customer: nil).text
        }
        let line = "chain \(second) of \(MadeChain.app), in the same receipt, held by c-bert\n"
        #expect(text.contains(line))
        #expect(text.contains("chain \(chain.id) of \(MadeChain.app)\n"))
        let receipt = try await ledger.erase(chains: [second], customer: "c-anna")
        #expect(receipt.plan?.positions == [1, 2, 3])
        #expect(try ledger.files(holding: [chain.id, second, "c-anna", "c-bert"]).isEmpty)
    }

    // MARK: In between

    @Test("An event that arrives between search and erasure is found by a second search")
    func overtaken() async throws {
        let ledger = try await ledger()
        try await ledger.session { session in
            let erasure = PersonErasure(session, now: ledger.now)
            let plan = try await erasure.plan(chains: [ledger.chain(chain.id)], customer: nil)
            let late = chain.notification(.didRenew, nil, 4, at: chain.start(4))
            let ingest = Ingest(
                ledger: session.ledger, apps: ledger.configuration.apps,
                verifier: ledger.verifier
            ) { ledger.now }
            _ = try await ingest.run(lines: [try late.line()], input: "late")
            let error = await #expect(throws: StoreError.self) {
                try await erasure.carryOut(plan, TemporaryLedger.erasing)
            }
            #expect(error?.code == .erasureOvertaken)
            #expect(try await session.ledger.log.head().position == 9)
        }
        let receipt = try await ledger.erase(chains: [chain.id])
        #expect(receipt.plan?.positions == [1, 3, 5, 7, 9])
        #expect(try ledger.files(holding: ids).isEmpty)
    }

    @Test("The same order finishes the answers to retention requests of a customer's chains, too")
    func stoppedAnswers() async throws {
        let ledger = try await ledger()
        let record = RetentionRecord(
            requestId: "r", chain: ledger.chain(chain.id), at: ledger.now, outcome: .shown,
            rule: "all")
        try await ledger.session { session in
            let erasure = PersonErasure(session, now: ledger.now)
            let customer = CustomerId(stated: ErasureTests.token)
            let plan = try await erasure.plan(chains: [], customer: customer)
            let operations = session.ledger.operations
            try await erasure.carryOut(
                plan, TemporaryLedger.erasing,
                steps: [.operations, .quarantine, .log])
            // By a writer that looked for erasures just before.
            let count = try await operations.erasureCount()
            let isKept = try await operations.keep([record], erasures: count)
            #expect(isKept)
        }
        try await ledger.erase(customer: ErasureTests.token)
        #expect(try ledger.files(holding: ids).isEmpty)
    }

    // MARK: Other state

    @Test("Quarantined inputs that name the person go, and others stay")
    func quarantine() async throws {
        let ledger = try await ledger()
        var mine = chain
        mine.bundleId = "com.example.unknown"
        var theirs = other
        theirs.bundleId = "com.example.unknown"
        let summary = try await ledger.ingest([mine.bought(), theirs.bought()])
        #expect(summary.quarantined == 2)
        // Cut, or no JSON at all, in plain text and in Base64.
        let line = String(decoding: try mine.bought().line(), as: UTF8.self)
        for text in [String(line.dropLast(40)), "note about \(chain.id), cut", "\"quantity\":1"] {
            _ = try await ledger.ingest([Array(text.utf8)])
        }
        try await ledger.erase(chains: [chain.id])
        let count = try await ledger.ledger { try await $0.operations.quarantineCount() }
        // Theirs, and the one that names no id.
        #expect(count == 2)
        #expect(try ledger.files(holding: ids).isEmpty)
    }

    @Test("Receivers get a digest of the chain, once")
    func change() async throws {
        let ledger = try await ledger()
        try await ledger.erase(chains: [chain.id])
        try await ledger.session { session in
            let reader = ChangeReader(ledger: session.ledger)
            var cursor = ChangePlace.beginning
            var found: [JSONValue] = []
            while true {
                let page = try await reader.page(after: cursor, through: session.head)
                found += try page.changes.map { try JSONValue.parse($0.body()) }
                cursor = page.next
                if page.isEnd { break }
            }
            let erased = found.filter { $0["type"]?.string == "chain.erased" }
            #expect(erased.count == 1)
            let data = try #require(erased.first?["data"])
            // By the Python of `Erasure.md`, which receivers run.
            let digest = "865a63639213d1efb9a3828eefad81f794b2d912aef0a34e2be5369229663445"
            #expect(data["chainDigest"]?.string == digest)
            #expect(data["bundleId"]?.string == MadeChain.app)
            #expect(data["originalTransactionId"] == nil)
            // The changes of the erased life are not emitted again, under any name.
            #expect(
                Set(found.compactMap { $0["data"]?["originalTransactionId"]?.string })
                    == [other.id])
        }
    }
}
