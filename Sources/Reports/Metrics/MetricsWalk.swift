import AppStore
import Foundation
import Ledger
import LedgerStore
internal import Projection
internal import Queries
package import SQLiteStore
import Synchronization

/// Folds every chain of a state, as far as was known, on all cores. Each core takes the next page and
/// sums on its own; the sums are joined at the end, in whatever order: sums know none.
struct MetricsWalk: Sendable {
    let query: ChainQuery
    let knowledge: KnowledgeLimit
    /// Only chains of this app are meant.
    let bundleId: BundleId?
    let report: MetricsQuery.Report

    /// Adds every chain that has a life to a sum that began as `empty`.
    func sum<Sum: Sendable>(
        _ empty: Sum, adding add: @escaping @Sendable (inout Sum, ChainId, Lifecycle) -> Void,
        joining join: (inout Sum, Sum) -> Void
    ) async throws(StoreError) -> Sum {
        let (ledger, knowledge) = (query.ledger, knowledge)
        return try await sumFacts(
            empty,
            adding: { sum, chain, facts in
                let life = Lifecycle(
                    facts.filter { knowledge.admits($0) }, environment: ledger.environment,
                    catalogue: ledger.catalogue)
                if !life.isEmpty { add(&sum, chain, life) }
            }, joining: join)
    }

    /// Adds every chain by its facts, whatever was known of them when.
    func sumFacts<Sum: Sendable>(
        _ empty: Sum, adding add: @escaping @Sendable (inout Sum, ChainId, [Fact]) -> Void,
        joining join: (inout Sum, Sum) -> Void
    ) async throws(StoreError) -> Sum {
        let pages = FactsPages(query.facts)
        let width = ProcessInfo.processInfo.activeProcessorCount
        let parts = await withTaskGroup(of: Outcome<Sum>.self) { group in
            for _ in 0..<width {
                group.addTask {
                    await Outcome { () throws(StoreError) in
                        try await part(empty, pages, add)
                    }
                }
            }
            var parts: [Outcome<Sum>] = []
            for await part in group { parts.append(part) }
            return parts
        }
        var whole = empty
        for part in parts { join(&whole, try part.get()) }
        return whole
    }

    private func part<Sum>(
        _ empty: Sum, _ pages: FactsPages,
        _ add: (inout Sum, ChainId, [Fact]) -> Void
    ) async throws(StoreError) -> Sum {
        var sum = empty
        let head = query.head
        while let (page, factCount) = try await pages.next() {
            try page.forEachChain { chain, facts in
                // What is kept under a customer's id is no chain.
                guard chain.customer == nil, bundleId == nil || chain.bundleId == bundleId else {
                    return
                }
                // The facts may be ahead of the position that the answer names.
                add(&sum, chain, facts.filter { $0.position <= head })
            }
            report(min(factCount, head), head)
        }
        return sum
    }
}

/// The pages of a facts file, each given to whoever asks next.
package final class FactsPages: Sendable {
    private let facts: FactsStore
    private let turn = Turnstile()
    private let place = Mutex(Place())

    private struct Place {
        var after: OriginalTransactionId?
        var isAtEnd = false
        var factCount: Int64 = 0
    }

    package init(_ facts: FactsStore) { self.facts = facts }

    /// The next page, and how many facts were given out with it; nil at the end.
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
