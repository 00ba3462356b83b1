import AppStore
import Foundation
import Ledger
import LedgerStore
internal import Projection
internal import Queries
package import SQLiteStore
import Synchronization

/// A sum of parts, joined in any order.
protocol Summable: Sendable {
    mutating func add(_ other: Self)
}

extension CountTable: Summable {}

extension Summable {
    /// The sum of parts that are added concurrently, each to a copy of this empty sum, on threads
    /// other than those that answer requests.
    func adding<Parts: Sequence>(
        _ parts: Parts,
        _ add: @escaping @Sendable (inout Self, Parts.Element) async throws(StoreError) -> Void
    ) async throws(StoreError) -> Self where Parts.Element: Sendable {
        var outcomes = await withTaskGroup(of: Outcome<Self>.self) { group in
            for part in parts {
                group.addTask(executorPreference: ComputingExecutor.shared) {
                    await Outcome { () throws(StoreError) in
                        var sum = self
                        try await add(&sum, part)
                        return sum
                    }
                }
            }
            var outcomes: [Outcome<Self>] = []
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        var whole = try outcomes.popLast()?.get() ?? self
        for outcome in outcomes { whole.add(try outcome.get()) }
        return whole
    }
}

/// Folds every chain of a state, by the requested knowledge, on all cores. Each core takes the next
/// page and sums separately; the partial sums are joined at the end in any order.
extension MetricsQuery {
    /// Adds every chain with a life to a sum that starts as `empty`.
    func sumLives<Sum: Summable>(
        _ empty: Sum, adding add: @escaping @Sendable (inout Sum, ChainId, Lifecycle) -> Void
    ) async throws(MetricsError) -> Sum {
        let (ledger, knowledge) = (snapshot.ledger, knowledge)
        return try await sumFacts(empty) { sum, chain, facts in
            let life = ledger.life(of: facts.filter { knowledge.admits($0) })
            if !life.isEmpty { add(&sum, chain, life) }
        }
    }

    /// Adds every chain by all its facts, regardless of knowledge.
    func sumFacts<Sum: Summable>(
        _ empty: Sum, adding add: @escaping @Sendable (inout Sum, ChainId, [Fact]) -> Void
    ) async throws(MetricsError) -> Sum {
        let pages = snapshot.facts.sharedPages()
        do throws(StoreError) {
            return try await empty.adding(0..<ProcessInfo.processInfo.activeProcessorCount) {
                sum, _ throws(StoreError) in
                try await addPages(pages, to: &sum, add)
            }
        } catch {
            throw .store(error)
        }
    }

    private func addPages<Sum>(
        _ pages: FactsPages, to sum: inout Sum, _ add: (inout Sum, ChainId, [Fact]) -> Void
    ) async throws(StoreError) {
        let head = snapshot.position
        while let (page, factCount) = try await pages.next() {
            try page.forEachChain { chain, facts in
                // Facts stored under a customer's id are not a chain.
                guard chain.customer == nil, bundleId == nil || chain.bundleId == bundleId else {
                    return
                }
                // Facts may be ahead of the answer's position.
                add(&sum, chain, facts.filter { $0.position <= head })
            }
            report(min(factCount, head), head)
        }
    }
}

/// Pages read one after the other, handed out one at a time to concurrent readers.
package final class SharedPages<Page: Sendable, Place: Sendable>: Sendable {
    private let turn = AsyncLock()
    /// Nil at the end.
    private let place: Mutex<Place?>
    private let read: @Sendable (Place) async throws(StoreError) -> (Page, next: Place?)?

    /// - Parameter read: the page at a place, and the place of the next one; nil at the end.
    init(
        from start: Place,
        _ read: @escaping @Sendable (Place) async throws(StoreError) -> (Page, next: Place?)?
    ) {
        place = Mutex(start)
        self.read = read
    }

    /// Nil at the end.
    package func next() async throws(StoreError) -> Page? {
        try await turn.pass { () async throws(StoreError) in try await advance() }
    }

    private func advance() async throws(StoreError) -> Page? {
        guard let current = place.withLock({ $0 }) else { return nil }
        let page = try await read(current)
        place.withLock { $0 = page?.next }
        return page?.0
    }
}

/// The pages of a facts file, each with the number of facts handed out including it.
package typealias FactsPages = SharedPages<
    (FactsPage, factCount: Int64), (after: OriginalTransactionId?, factCount: Int64)
>

extension FactsStore {
    package func sharedPages() -> FactsPages {
        SharedPages(from: (nil, 0)) { place throws(StoreError) in
            guard let page = try await self.undecodedPage(after: place.after), let last = page.last
            else { return nil }
            let count = place.factCount + Int64(page.factCount)
            return ((page, count), (last, count))
        }
    }
}
