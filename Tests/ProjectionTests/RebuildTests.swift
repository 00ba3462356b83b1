import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Queries
import SQLiteStore
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import Projection

@Suite("Rebuilding")
struct RebuildTests {
    private static let chain = MadeChain(id: "570000000000001", storefront: "ZZQ")
    private static let other = MadeChain(id: "570000000000005")
    private let chain = RebuildTests.chain
    private let other = RebuildTests.other

    private static let shared = SharedLedger { ledger in
        _ = try await ledger.ingest(chain.life + other.life)
        try await ledger.session { try await $0.projections.walCheckpoint() }
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    private func check(_ ledger: TemporaryLedger) async throws -> [RebuildCheck.Difference] {
        try await ledger.session { session in
            let found = try await RebuildCheck(try #require(session.projector)).run()
            #expect(found.count == found.differences.count)
            return found.differences
        }
    }

    private func path(_ ledger: TemporaryLedger) async throws -> String {
        try await ledger.session { $0.projections.path }
    }

    // MARK: Check

    @Test("Each chain that differs is counted once, listed or not, whatever differs in it")
    func counted() {
        let build = ProjectionsStore.Build(catalogueHash: "")
        var report = RebuildCheck.Report(position: 0, stored: build, expected: build)
        let listed = RebuildCheck.maximumDifferenceCount
        let chains = (0..<listed + 2).map { number in
            ChainId(
                bundleId: BundleId("com.example.app"),
                originalTransactionId: OriginalTransactionId("\(number)"))
        }
        for chain in chains.dropLast() { report.note(chain, ["missing"]) }
        #expect(report.count == listed + 1)
        for chain in [chains[0]] + chains.suffix(2) { report.noteFacts(of: chain) }
        #expect(report.count == listed + 2)
        #expect(report.differences.map(\.chain) == Array(chains.prefix(listed)))
        #expect(report.differences[0].columns == ["missing", "facts"])
    }

    @Test("Incremental projections equal those of a rebuild from the log")
    func equal() async throws {
        let ledger = try TemporaryLedger()
        for delivery in chain.life + other.life {
            _ = try await ledger.ingest([delivery])
            try await ledger.session { #expect($0.head >= 1) }
        }
        #expect(try await check(ledger).isEmpty)
    }

    @Test("A chain under another id is one chain missing and one surplus")
    func renamedChain() async throws {
        let ledger = try await taken()
        try FileDamage.replace(
            "570000000000001", by: "570000000000002", in: try await path(ledger))
        let differences = try await check(ledger)
        #expect(
            differences.map { "\($0.chain.originalTransactionId) \($0.columns)" }
                == ["570000000000001 [\"missing\"]", "570000000000002 [\"surplus\"]"])
    }

    @Test("Rows folded from fewer facts differ in every affected table")
    func forgottenFact() async throws {
        let ledger = try await taken()
        try await ledger.session { session in
            let facts = try await session.ledger.facts.facts(of: [chain.chainId])[0].1
            let rows = ChainRows(
                chain.chainId, facts: Array(facts.prefix(1)), environment: .production,
                catalogue: session.ledger.catalogue)
            let checkpoint = try await session.projections.checkpoint()
            try await session.projections.update([rows], checkpoint: checkpoint)
        }
        let differences = try await check(ledger)
        let columns = Set(differences.flatMap(\.columns))
        #expect(differences.count == 1)
        #expect(columns.isSuperset(of: ["intervals", "intervals.cause", "life_facts"]))
    }

    @Test("A rebuild repairs what a check found", arguments: [false, true])
    func repair(fromLog: Bool) async throws {
        let ledger = try await taken()
        let before = try await ledger.timeline(chain.id)
        let changed = try FileDamage.replace("ZZQ", by: "ZZW", in: try await path(ledger))
        #expect(changed > 0)
        #expect(try await check(ledger).map(\.columns) == [["subscriptions.storefront"]])
        try await ledger.session { session in
            let projector = try #require(session.projector)
            try await projector.rebuild(fromLog: fromLog)
        }
        #expect(try await check(ledger).isEmpty)
        #expect(try await ledger.timeline(chain.id) == before)
    }

    @Test("A rebuild reports every sweep that it reads, before it folds the chains")
    func sweeps() async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(chain.life)
        try await ledger.session { #expect($0.head == 4) }
        try await ledger.ledger { opened in
            for number in 1...3 { try await append(sweep(throughDay: Int64(number)), opened) }
        }
        try await ledger.session { session in
            let projector = try #require(session.projector)
            let before = try await projector.projections.completeness()
            #expect(before.all.map(\.position) == [5, 6, 7])
            let reported = Mutex<[ProjectionProgress]>([])
            try await projector.rebuild { progress in reported.withLock { $0.append(progress) } }
            let found = reported.withLock { $0 }
            let read = found.prefix { $0.phase == .decode }
            #expect(read.map(\.position) == [0, 5, 6, 7])
            #expect(found.dropFirst(read.count).allSatisfy { $0.phase == .fold })
            let after = try await projector.projections.completeness()
            #expect(after == before)
        }
    }

    private func sweep(throughDay number: Int64) -> Sweep {
        let end = chain.start.advanced(byMilliseconds: number * 86_400_000)
        return Sweep(
            bundleId: chain.chainId.bundleId, from: chain.start, through: end, requestedAt: end,
            startPosition: 4, fetchedCount: 1)
    }

    private func append(_ sweep: Sweep, _ ledger: EnvironmentLedger) async throws {
        let event = NewEvent(
            key: EventKey.make(.sweep, ["\(sweep.through)"]),
            attributes: EventAttributes(
                kind: .sweep, source: .history, trust: .transport, bundleId: sweep.bundleId,
                chain: nil),
            receivedAt: sweep.through, receivedAtClaimed: false,
            evidence: try ledger.log.packer.pack(.verbatim(sweep.evidence)))
        _ = try await ledger.log.append([event])
    }

    @Test("A check reads the evidence, and reports stored facts that differ from it")
    func independent() async throws {
        let ledger = try await taken()
        // Had the check read the stored facts, it would expect another storefront now.
        let facts = try await ledger.session { $0.ledger.facts.path }
        #expect(try FileDamage.replace("ZZQ", by: "ZZW", in: facts) > 0)
        let differences = try await check(ledger)
        #expect(differences.map(\.chain.originalTransactionId.rawValue) == [chain.id])
        #expect(differences.map(\.columns) == [["facts"]])
        let leftovers = try FileDamage.names(in: ledger.environmentDirectory)
            .filter { $0.hasPrefix(".check") }
        #expect(leftovers.isEmpty)
    }

    // MARK: Automatic rebuilds

    @Test("Another catalogue means other rows: they are rebuilt, and the answer names it")
    func catalogue() async throws {
        var ledger = try TemporaryLedger()
        var pass = chain.transaction(0, signed: chain.start)
        pass.type = Raw(.nonRenewingSubscription)
        pass.productId = ProductId("com.example.pass")
        pass.expiresDate = nil
        _ = try await ledger.ingest([
            MadeDelivery(receivedAt: chain.start, evidence: .transaction(pass))
        ])
        let first = try await path(ledger)
        let with = try await ledger.show(chain.id)
        #expect(with["state"]?.string == "lapsed")
        ledger.configuration.catalogue.products[ProductId("com.example.pass")] = nil
        let without = try await ledger.show(chain.id)
        #expect(without["state"]?.string == "owned")
        #expect(!without.noticeCodes.isEmpty)
        #expect(with["catalogueHash"] != without["catalogueHash"])
        #expect(try await path(ledger) != first)
        #expect(try await check(ledger).isEmpty)
    }

    @Test(
        "Missing derived files are rebuilt; losing the quarantine loses no answer",
        arguments: [
            ["projections.sqlite"], ["facts-\(Fact.decoderVersion).sqlite"], ["operations.sqlite"],
            [
                "projections.sqlite", "projections-\(Lifecycle.reducerVersion)-1.sqlite",
                "facts-\(Fact.decoderVersion).sqlite",
            ],
            ["projections-\(Lifecycle.reducerVersion)-1.sqlite"],
        ])
    func goneFiles(names: [String]) async throws {
        let ledger = try await taken()
        let before = try await ledger.timeline(chain.id)
        try FileDamage.remove(names, in: ledger.environmentDirectory)
        #expect(try await ledger.timeline(chain.id) == before)
        #expect(try await ledger.exportLines(.subscriptions).count == 2)
        #expect(try await check(ledger).isEmpty)
    }

    @Test("Opened again without changes, nothing is rebuilt and nothing changes")
    func idle() async throws {
        let ledger = try await taken()
        let before = try await ledger.export(.subscriptions)
        let files = try FileDamage.names(in: ledger.environmentDirectory)
            .filter { $0.hasSuffix(".sqlite") }
        #expect(try await ledger.export(.subscriptions) == before)
        #expect(
            try FileDamage.names(in: ledger.environmentDirectory)
                .filter { $0.hasSuffix(".sqlite") } == files)
    }
}
