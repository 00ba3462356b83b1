import AppStore
import Foundation
import Ledger
import Simulator
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Projections built in bulk")
struct ProjectionsBuildTests {
    private let directory: TemporaryDirectory
    private let build = ProjectionsStore.Build(catalogueHash: "none")
    private let checkpoint = ProjectionCursor(
        position: 9, leafHash: Digest(words: (1, 2, 3, UInt64.max)))

    init() throws { directory = try TemporaryDirectory() }

    private func bulk(_ name: String, _ pages: [[ChainRows]]) throws -> String {
        let file = try ProjectionsBuild(
            path: directory.file(name), build: build)
        var count: Int64 = 0
        for page in pages {
            try file.append(EncodedRows(page, firstSubscription: count + 1))
            count += Int64(page.count)
        }
        try file.finish(checkpoint: checkpoint)
        return file.path
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    // MARK: Unfinished files

    @Test("A file has a temporary name until it is finished, and none when abandoned")
    func abandoned() throws {
        let file = try ProjectionsBuild(
            path: directory.file("p.sqlite"), build: build)
        try file.append(EncodedRows([]))
        #expect(try !names().contains("p.sqlite"))
        #expect(throws: StoreError(.noSuchFile, reason: "", remedy: "")) {
            try ProjectionsStore(path: file.path)
        }
        file.abandon()
        #expect(try names().isEmpty)
    }

    @Test("The unfinished file of a build that died is overwritten")
    func leftOver() async throws {
        let path = directory.file("p.sqlite") + BulkFile.suffix
        try Data("half a file".utf8).write(to: URL(filePath: path))
        let chains = Array(SimulatedChains.someRows.prefix(3))
        let bulk = try bulk("p.sqlite", [chains])
        #expect(try await SimulatedChains.stored(bulk) == chains)
        #expect(try !names().contains { $0.hasSuffix(BulkFile.suffix) })
    }

    @Test("A repeated chain is refused")
    func repeatedChain() throws {
        let chain = SimulatedChains.someRows[0]
        let file = try ProjectionsBuild(
            path: directory.file("p.sqlite"), build: build)
        #expect(throws: StoreError.self) {
            try file.append(EncodedRows([chain, chain]))
        }
        file.abandon()
        #expect(try names().isEmpty)
    }

    @Test("A file without chains has its build metadata")
    func empty() async throws {
        let path = try bulk("p.sqlite", [])
        let store = try ProjectionsStore(path: path)
        #expect(try await store.build() == build)
        #expect(try await store.checkpoint() == checkpoint)
        #expect(try await store.subscriptionCount() == 0)
        try store.close()
        #expect(try await SimulatedChains.stored(path).isEmpty)
    }

    // MARK: The same rows

    @Test("Rows written in bulk equal those written by updates in any order")
    func equalToUpdates() async throws {
        let chains = Soak.isOn ? SimulatedChains.make(300) : SimulatedChains.some
        let expected =
            Soak.isOn
            ? chains.map { SimulatedChains.rows($0.id, $0.facts) } : SimulatedChains.someRows
        // Pages of unequal lengths, an empty one among them.
        let path = try bulk(
            "bulk.sqlite",
            [Array(expected[..<1]), [], Array(expected[1..<30]), Array(expected[30...])])

        let seed: UInt64 = 17
        var chance = SeededGenerator(seed: seed)
        let store = try ProjectionsStore(path: try bulk("updated.sqlite", []))
        // Each chain in stages: half its facts first, in no chain order.
        for chain in chains.shuffled(using: &chance) {
            let half = SimulatedChains.rows(chain.id, chain.facts.prefix(chain.facts.count / 2))
            try await store.update([half], checkpoint: .start)
        }
        try await store.update(expected.shuffled(using: &chance), checkpoint: checkpoint)
        #expect(try await store.checkpoint() == checkpoint)

        let bulk = try await SimulatedChains.stored(path)
        let updated = try await SimulatedChains.stored(store.path)
        #expect(bulk.map(\.chain) == chains.map(\.id))
        #expect(bulk == expected)
        #expect(updated == expected, "seed \(seed)")
        for (one, two) in zip(bulk, updated) {
            #expect(one.differences(from: two).isEmpty, "seed \(seed): \(one.chain)")
        }
        try store.close()
    }

    @Test("Every chain of a bulk file is found by each of its transactions")
    func transactions() async throws {
        let rows = SimulatedChains.someRows
        let store = try ProjectionsStore(path: try bulk("p.sqlite", [rows]))
        for chain in rows {
            for transaction in chain.transactions {
                let found = try await store.chains(transaction: TransactionId(transaction.id))
                #expect(found.contains(chain.chain), "\(transaction.id)")
            }
        }
        #expect(rows.contains { !$0.transactions.isEmpty })
        try store.close()
    }

    @Test("A transactionId under several chains is written under each")
    func sharedTransaction() async throws {
        let ids = ["", "\0", "a", "a\0b", "cafe\u{301}", "caf\u{E9}"]
        let chains = SimulatedChains.someRows.prefix(6).map { rows in
            rows.with(
                transactions: ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                    .enumerated().map { index, id in
                        ChainRows.TransactionRow(id: id, firstPosition: Int64(index) - 2)
                    })
        }
        let path = try bulk("p.sqlite", [chains])
        let stored = try await SimulatedChains.stored(path)
        #expect(stored == chains)
        let store = try ProjectionsStore(path: path)
        for id in ids {
            let found = try await store.chains(transaction: TransactionId(id))
            #expect(found == chains.map(\.chain), "\(id.debugDescription)")
        }
        try store.close()
    }

    @Test("More transactionIds than are kept in memory are written in batches, and none is lost")
    func severalBatches() async throws {
        let byteCount = 1 << 20
        let count = DeferredTable.fullByteCount / byteCount + 2
        let rows = SimulatedChains.rows(SimulatedChains.id(SimulatedChains.app, "1"), [])
        var chance = SeededGenerator(seed: 3)
        let chains = (0..<count).shuffled(using: &chance).enumerated().map { index, number in
            let text = String(repeating: "9", count: byteCount - 2) + String(10 + number)
            return rows.with(
                chain: SimulatedChains.id(SimulatedChains.app, String(100 + index)),
                transactions: [ChainRows.TransactionRow(id: text, firstPosition: 1)])
        }
        let path = try bulk("p.sqlite", chains.map { [$0] })
        #expect(try await SimulatedChains.stored(path) == chains)
    }
}

extension ChainRows {
    /// The same rows with other transactions, under another chain.
    fileprivate func with(
        chain: ChainId? = nil, transactions: [TransactionRow]
    ) -> ChainRows {
        ChainRows(
            chain: chain ?? self.chain, subscription: subscription, intervals: intervals,
            timelineEvents: timelineEvents, notices: notices, transactions: transactions,
            orderLines: orderLines, holdings: holdings, contribution: contribution,
            reported: reported)
    }
}
