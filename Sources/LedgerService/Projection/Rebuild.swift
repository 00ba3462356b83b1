import AppStore
import Foundation
public import Ledger
public import LedgerStore

/// Folds everything again into a new projections file and switches to it, or compares with the
/// live one. The caller holds the projector's lock.
public struct Rebuild: Sendable {
    let ledger: EnvironmentLedger

    /// Chains written in one transaction.
    static let chainsPerTransaction = 2_000

    public init(ledger: EnvironmentLedger) { self.ledger = ledger }

    /// Builds from the facts, after bringing them up to the log; answers the new store, in use.
    /// Without facts (`EnvironmentLedger.discardFacts`, `FactsStore.clear`) that is the whole log.
    public func run(
        report: Projector.Report = { _ in }
    ) async throws(StoreError) -> ProjectionsStore {
        let head = try await ledger.log.head().position
        try await Projector.catchUpFacts(ledger, ledger.facts, through: head, report: report)
        let files = ledger.projectionFiles
        let (path, build) = (files.newPath(), ledger.build)
        let store = try await Blocking.run { () throws(StoreError) in
            try ProjectionsStore(path: path, build: build)
        }
        try await fold(ledger.facts, into: store)
        try await store.settle()
        try files.use(path)
        return store
    }

    private func fold(_ facts: FactsStore, into store: ProjectionsStore) async throws(StoreError) {
        // Facts only grow, and only the holder of the lock adds any.
        let checkpoint = try await facts.checkpoint()
        var pending: [ChainRows] = []
        var after: ChainId?
        while true {
            let page = try await facts.page(after: after)
            guard let last = page.last else { break }
            pending += try await rows(page)
            after = last.0
            if pending.count >= Rebuild.chainsPerTransaction {
                try await store.update(pending, checkpoint: .start)
                pending = []
            }
        }
        try await store.update(pending, checkpoint: checkpoint)
    }

    private func rows(_ page: [(ChainId, [Fact])]) async throws(StoreError) -> [ChainRows] {
        let (environment, catalogue) = (ledger.environment, ledger.catalogue)
        return try await Parallel.map(page) { (entry) throws(StoreError) in
            ChainRows(entry.0, facts: entry.1, environment: environment, catalogue: catalogue)
        }
    }

    // MARK: Check

    /// One chain whose stored rows are not what its evidence says.
    public struct Difference: Sendable, Hashable {
        public let chain: ChainId
        /// Tables, or columns of `subscriptions`, that differ; `missing` or `surplus` for a whole
        /// chain.
        public let columns: [String]
    }

    /// Decodes the whole log again, apart from the stored facts, folds it, and compares with the
    /// live projections. The first `limit` differences, in chain order, and how many there are.
    public func check(
        against live: ProjectionsStore, limit: Int = 1_000, report: Projector.Report = { _ in }
    ) async throws(StoreError) -> (differences: [Difference], count: Int) {
        let scratch = "\(ledger.directory)/.check-\(ProcessInfo.processInfo.processIdentifier)"
        try? FileManager.default.removeItem(atPath: scratch)
        do {
            try FileManager.default.createDirectory(
                atPath: scratch, withIntermediateDirectories: false)
        } catch {
            throw StoreError(
                .ioError, path: scratch, reason: "The scratch directory cannot be made.",
                remedy: "Check the permissions and the space of the data directory.")
        }
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let facts = try await Blocking.run { () throws(StoreError) in
            try FactsStore(directory: scratch)
        }
        let head = try await live.checkpoint().position
        try await Projector.catchUpFacts(ledger, facts, through: head, report: report)
        let found = try await compare(facts, live, limit: limit)
        try facts.close()
        return found
    }

    private func compare(
        _ facts: FactsStore, _ live: ProjectionsStore, limit: Int
    ) async throws(StoreError) -> (differences: [Difference], count: Int) {
        var differences: [Difference] = []
        var count = 0
        func note(_ chain: ChainId, _ columns: [String]) {
            count += 1
            if differences.count < limit {
                differences.append(Difference(chain: chain, columns: columns))
            }
        }
        var stored = StoredChains(live)
        var after: ChainId?
        while true {
            let page = try await facts.page(after: after)
            guard let last = page.last else { break }
            after = last.0
            for expected in try await rows(page) {
                while let surplus = try await stored.next(before: expected.chain) {
                    note(surplus.chain, ["surplus"])
                }
                guard let actual = try await stored.next(equal: expected.chain) else {
                    note(expected.chain, ["missing"])
                    continue
                }
                let columns = expected.differences(from: actual)
                if !columns.isEmpty { note(expected.chain, columns) }
            }
        }
        while let surplus = try await stored.next() { note(surplus.chain, ["surplus"]) }
        return (differences, count)
    }
}

/// The chains of a projections file in order, a page at a time.
private struct StoredChains {
    let store: ProjectionsStore
    private var page: [ChainRows] = []
    private var index = 0
    private var after: ChainId?
    private var isAtEnd = false

    static let pageCount = 1_000

    init(_ store: ProjectionsStore) { self.store = store }

    private mutating func fill() async throws(StoreError) {
        guard index == page.count, !isAtEnd else { return }
        page = try await store.page(after: after, limit: StoredChains.pageCount)
        index = 0
        after = page.last?.chain ?? after
        isAtEnd = page.isEmpty
    }

    mutating func next() async throws(StoreError) -> ChainRows? {
        try await fill()
        guard index < page.count else { return nil }
        defer { index += 1 }
        return page[index]
    }

    mutating func next(before chain: ChainId) async throws(StoreError) -> ChainRows? {
        try await fill()
        guard index < page.count, page[index].chain < chain else { return nil }
        return try await next()
    }

    mutating func next(equal chain: ChainId) async throws(StoreError) -> ChainRows? {
        try await fill()
        guard index < page.count, page[index].chain == chain else { return nil }
        return try await next()
    }
}
