import AppStore
import GRDB
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerStore
@testable import SQLiteStore

@Suite("Updating projections")
struct ProjectionsUpdateTests {
    private let directory: TemporaryDirectory
    private let store: ProjectionsStore
    private let rows = SimulatedChains.someRows

    init() throws {
        directory = try TemporaryDirectory()
        let file = try ProjectionsBuild(
            path: directory.file("p.sqlite"), build: ProjectionsStore.Build(catalogueHash: "none"))
        try file.append(EncodedRows(rows))
        try file.finish(checkpoint: .start)
        store = try ProjectionsStore(path: file.path)
    }

    /// A chain with several rows in each table that is written as a whole.
    private var rich: ChainRows {
        get throws {
            try #require(rows.first { $0.intervals.count > 2 && $0.timelineEvents.count > 1 })
        }
    }

    /// Returns the number of rows written and removed, without that of the checkpoint.
    private func update(_ chains: [ChainRows]) async throws -> Int {
        let before = try await store.write { $0.totalChangesCount }
        try await store.update(chains, checkpoint: ProjectionCursor(position: 5, leafHash: nil))
        return try await store.write { $0.totalChangesCount } - before - 1
    }

    private func stored(_ chain: ChainId) async throws -> ChainRows? {
        try await SimulatedChains.stored(store.path).first { $0.chain == chain }
    }

    @Test("Equal rows write nothing, but the checkpoint moves")
    func equal() async throws {
        #expect(try await update(rows) == 0)
        #expect(try await update([]) == 0)
        #expect(try await store.checkpoint().position == 5)
        #expect(try await SimulatedChains.stored(store.path) == rows)
    }

    @Test("One changed interval writes exactly one row, at any index", arguments: [0, 1, 2])
    func changedInterval(index: Int) async throws {
        let before = try rich
        var intervals = before.intervals
        let changed = try intervals[index].with(productId: "com.example.other")
        intervals[index] = changed
        let after = before.with(intervals: intervals)
        #expect(try await update([after]) == 1)
        #expect(try await stored(before.chain) == after)
        #expect(try await update([after]) == 0)
        #expect(try await update(rows) == 1)
    }

    @Test("Surplus rows are deleted, and each counts")
    func fewer() async throws {
        let before = try rich
        let after = before.with(
            intervals: Array(before.intervals.dropLast(2)), timelineEvents: [], notices: [])
        let surplus = 2 + before.timelineEvents.count + before.notices.count
        #expect(try await update([after]) == surplus)
        #expect(try await stored(before.chain) == after)
        #expect(try await update([before]) == surplus)
        #expect(try await stored(before.chain) == before)
        let others = try await SimulatedChains.stored(store.path)
        #expect(others == rows)
    }

    @Test("A row removed from the middle rewrites only the later ones")
    func removedFromTheMiddle() async throws {
        let before = try rich
        var intervals = before.intervals
        intervals.remove(at: 1)
        let after = before.with(intervals: intervals)
        // Every later row moves up by one, and the last one is deleted.
        #expect(try await update([after]) <= before.intervals.count - 1)
        #expect(try await stored(before.chain) == after)
    }

    @Test("A new chain writes each of its rows once")
    func newChain() async throws {
        let before = try rich
        let id = SimulatedChains.id(BundleId("com.example.new"), "")
        let new = ChainRows(
            chain: id, subscription: before.subscription, intervals: before.intervals,
            timelineEvents: before.timelineEvents, notices: before.notices,
            transactions: before.transactions, orderLines: before.orderLines,
            holdings: before.holdings, contribution: nil)
        let count =
            1 + new.intervals.count + new.timelineEvents.count + new.notices.count
            + new.transactions.count + new.orderLines.count + new.holdings.count
        #expect(try await update([new]) == count)
        #expect(try await stored(id) == new)
        #expect(try await SimulatedChains.stored(store.path).count == rows.count + 1)
    }

    @Test("A transaction with an earlier first position rewrites its row")
    func earlierTransaction() async throws {
        let before = try #require(rows.first { !$0.transactions.isEmpty })
        var transactions = before.transactions
        transactions[0] = ChainRows.TransactionRow(
            id: transactions[0].id, firstPosition: transactions[0].firstPosition - 1)
        let after = before.with(transactions: transactions)
        #expect(try await update([after]) == 1)
        #expect(try await stored(before.chain) == after)
    }

    @Test("Texts that look alike but differ in bytes are different rows")
    func equivalentTexts() async throws {
        let before = try rich
        let composed = before.with(intervals: [
            try before.intervals[0].with(productId: "caf\u{E9}")
        ])
        let decomposed = before.with(intervals: [
            try before.intervals[0].with(productId: "cafe\u{301}")
        ])
        _ = try await update([composed])
        #expect(try await update([decomposed]) == 1)
        let stored = try #require(try await stored(before.chain))
        #expect(stored == decomposed)
        #expect(decomposed.differences(from: composed) == ["intervals.product_id"])
    }

    @Test("Texts of every kind are stored unchanged, in bulk and updated")
    func texts() async throws {
        let before = try rich
        for text in SimulatedChains.unusualIds {
            let changed = before.with(intervals: [
                try before.intervals[0].with(productId: text)
            ])
            // The intermediate state, so that the row always differs.
            _ = try await update([before])
            _ = try await update([changed])
            let stored = try #require(try await stored(before.chain))
            #expect(stored == changed)
            let file = try ProjectionsBuild(
                path: directory.file("one.sqlite"),
                build: ProjectionsStore.Build(catalogueHash: "none"))
            try file.append(EncodedRows([changed]))
            try file.finish(checkpoint: .start)
            let bulk = try await SimulatedChains.stored(file.path)
            #expect(bulk.count == 1 && bulk[0] == changed)
            DerivedFile.discard(file.path)
        }
    }
}

extension ChainRows {
    fileprivate func with(
        intervals: [IntervalRow]? = nil, timelineEvents: [TimelineEventRow]? = nil,
        notices: [NoticeRow]? = nil, transactions: [TransactionRow]? = nil
    ) -> ChainRows {
        ChainRows(
            chain: chain, subscription: subscription, intervals: intervals ?? self.intervals,
            timelineEvents: timelineEvents ?? self.timelineEvents, notices: notices ?? self.notices,
            transactions: transactions ?? self.transactions,
            orderLines: orderLines, holdings: holdings, contribution: contribution,
            reported: reported)
    }
}

extension IntervalRow {
    /// The same row with another product.
    fileprivate func with(productId: String) throws -> IntervalRow {
        var values = values
        values[try #require(IntervalRow.columns.firstIndex(of: "product_id"))] = .text(productId)
        return IntervalRow(values: values)
    }
}
