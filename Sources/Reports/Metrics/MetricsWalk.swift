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
    /// The sum of parts that are added concurrently, each to a copy of this empty sum.
    func adding<Parts: Sequence>(
        _ parts: Parts,
        _ add: @escaping @Sendable (inout Self, Parts.Element) async throws(StoreError) -> Void
    ) async throws(StoreError) -> Self where Parts.Element: Sendable {
        var outcomes = await withTaskGroup(of: Outcome<Self>.self) { group in
            for part in parts {
                group.addTask {
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
struct MetricsWalk: Sendable {
    let query: ChainQuery
    let knowledge: AsOf
    /// Nil: all apps.
    let bundleId: BundleId?
    let report: MetricsQuery.ProgressHandler

    /// Adds every chain with a life to a sum that starts as `empty`.
    func sum<Sum: Summable>(
        _ empty: Sum, adding add: @escaping @Sendable (inout Sum, ChainId, Lifecycle) -> Void
    ) async throws(MetricsError) -> Sum {
        let (ledger, knowledge) = (query.ledger, knowledge)
        return try await sumFacts(empty) { sum, chain, facts in
            let life = Lifecycle(
                facts.filter { knowledge.admits($0) }, environment: ledger.environment,
                catalogue: ledger.catalogue)
            if !life.isEmpty { add(&sum, chain, life) }
        }
    }

    /// Adds every chain by all its facts, regardless of knowledge.
    func sumFacts<Sum: Summable>(
        _ empty: Sum, adding add: @escaping @Sendable (inout Sum, ChainId, [Fact]) -> Void
    ) async throws(MetricsError) -> Sum {
        let pages = FactsPages(query.facts)
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
        let head = query.head
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

/// The pages of a facts file, handed out one at a time to concurrent readers.
package final class FactsPages: Sendable {
    private let facts: FactsStore
    private let turn = AsyncLock()
    private let place = Mutex(Place())

    private struct Place {
        var after: OriginalTransactionId?
        var isAtEnd = false
        var factCount: Int64 = 0
    }

    package init(_ facts: FactsStore) { self.facts = facts }

    /// The next page, and the number of facts handed out including it; nil at the end.
    package func next() async throws(StoreError) -> (FactsPage, Int64)? {
        let step = await turn.pass {
            await Outcome { () throws(StoreError) in try await advance() }
        }
        return try step.get()
    }

    private func advance() async throws(StoreError) -> (FactsPage, Int64)? {
        let (after, isAtEnd) = place.withLock { ($0.after, $0.isAtEnd) }
        guard !isAtEnd else { return nil }
        let page = try await facts.undecodedPage(after: after)
        return place.withLock { place in
            guard let page, let last = page.last else {
                place.isAtEnd = true
                return nil
            }
            place.after = last
            place.factCount += Int64(page.factCount)
            return (page, place.factCount)
        }
    }
}
