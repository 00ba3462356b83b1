import AppStore
import Foundation
import Ledger
import LedgerStore
internal import SQLiteStore
import Synchronization

/// Folds every chain of a facts file on all cores and passes the rows on in chain order, holding a
/// few pages in memory.
struct ChainFold: Sendable {
    let facts: FactsStore
    let environment: Environment
    let catalogue: Catalogue
    /// Pool of the product classes that chains share, one for each core.
    private let idleNumbers = IdleNumbers()

    /// Receives the rows of the next chains and the number of facts folded so far.
    typealias Consumer<Page> = (Page, Int64) async throws(StoreError) -> Void

    /// Pages per core that are being folded or wait for their turn.
    static let pagesPerCore = 3

    /// Passes on each page's chain rows unencoded.
    func run(_ consume: Consumer<[ChainRows]>) async throws(StoreError) {
        try await run(beginning: { _ in [] }, adding: { $0.append($1) }, consume)
    }

    /// Passes on each page's rows encoded, with chains numbered from 1.
    func runEncoding(_ consume: Consumer<EncodedRows>) async throws(StoreError) {
        try await run(
            beginning: { EncodedRows(firstSubscription: $0 + 1) }, adding: { $0.append($1) },
            consume)
    }

    /// Folds the next pages while `consume` works on one, and reads the page after those. A page
    /// starts with the number of chains before it. A chain's facts and rows are released before the
    /// next chain's are created.
    private func run<Page: Sendable>(
        beginning begin: @escaping @Sendable (Int64) -> Page,
        adding add: @escaping @Sendable (inout Page, ChainRows) -> Void,
        _ consume: Consumer<Page>
    ) async throws(StoreError) {
        let width = ChainFold.pagesPerCore * ProcessInfo.processInfo.activeProcessorCount
        let failure = await withTaskGroup(of: (Int, Outcome<Page>).self) { group -> StoreError? in
            var ready: [Int: Outcome<Page>] = [:]
            var counts: [Int] = []
            var (consumed, factCount, chainCount) = (0, Int64(0), Int64(0))
            do throws(StoreError) {
                var page = try await facts.undecodedPage(after: nil)
                while page != nil || consumed < counts.count {
                    let current = page
                    async let following = Outcome { () throws(StoreError) in
                        guard let current else { return FactsPage?.none }
                        return try await facts.undecodedPage(after: current.last)
                    }
                    if let current {
                        let (index, before) = (counts.count, chainCount)
                        counts.append(current.factCount)
                        chainCount += Int64(current.chainCount)
                        group.addTask {
                            let page = await Outcome { () throws(StoreError) in
                                try fold(current, { begin(before) }, add)
                            }
                            return (index, page)
                        }
                    }
                    while consumed < counts.count,
                        current == nil || counts.count - consumed >= width || ready[consumed] != nil
                    {
                        while ready[consumed] == nil, let done = await group.next() {
                            ready[done.0] = done.1
                        }
                        guard let rows = try ready.removeValue(forKey: consumed)?.get() else {
                            break
                        }
                        factCount += Int64(counts[consumed])
                        consumed += 1
                        try await consume(rows, factCount)
                    }
                    page = try await following.get()
                }
                return nil
            } catch {
                group.cancelAll()
                return error
            }
        }
        if let failure { throw failure }
    }

    private func fold<Page>(
        _ page: FactsPage, _ begin: () -> Page, _ add: (inout Page, ChainRows) -> Void
    ) throws(StoreError) -> Page {
        // Created here: a uniquely referenced value is appended to in place.
        var rows = begin()
        let numbers = idleNumbers.take()
        defer { idleNumbers.give(numbers) }
        try page.forEachChain { chain, facts in
            add(
                &rows,
                ChainRows(
                    chain, facts: facts, environment: environment, catalogue: catalogue,
                    numbers: numbers))
        }
        return rows
    }
}

/// Pool of class numbers that are not in use.
private final class IdleNumbers: Sendable {
    private let idle = Mutex<[ClassNumbers]>([])

    func take() -> ClassNumbers { idle.withLock { $0.popLast() } ?? ClassNumbers() }

    func give(_ numbers: ClassNumbers) { idle.withLock { $0.append(numbers) } }
}
