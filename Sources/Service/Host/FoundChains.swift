import AppStore
import Ledger
internal import LedgerStore
internal import Projection
internal import SQLiteStore

/// What was read about the chains that an id names, and in which state.
struct FoundChains: Sendable {
    struct Chain: Sendable {
        let id: ChainId
        let facts: [Fact]
        /// Where its transactions stand in other chains too.
        let shared: [SharedTransaction]
    }

    /// Nil before any answer is possible.
    let snapshot: LedgerSnapshot?
    let result: Result<[Chain], StoreError>

    /// Facts held by this; one at least.
    var factCount: Int {
        guard case .success(let chains) = result else { return 1 }
        return chains.reduce(1) { $0 + $1.facts.count }
    }

    /// Reads about many ids at once.
    static func find(_ ids: [String], _ snapshot: LedgerSnapshot?) async -> [FoundChains] {
        guard let snapshot else {
            return ids.map { _ in FoundChains(snapshot: nil, result: .success([])) }
        }
        do throws(StoreError) {
            return try await snapshot.chains(named: ids).map {
                FoundChains(snapshot: snapshot, result: .success($0))
            }
        } catch {
            return ids.map { _ in FoundChains(snapshot: snapshot, result: .failure(error)) }
        }
    }
}

extension LedgerSnapshot {
    /// The chains each id names: as originalTransactionId first, else as any transactionId.
    fileprivate func chains(
        named ids: [String]
    ) async throws(StoreError) -> [[FoundChains.Chain]] {
        var lives = try await facts.lives(of: ids.map { OriginalTransactionId($0) })
        for index in lives.indices {
            // What is kept under a customer's id is no chain.
            lives[index].removeAll { $0.0.customer != nil }
            guard lives[index].isEmpty else { continue }
            let others = try await projections.chains(transaction: TransactionId(ids[index]))
            if !others.isEmpty { lives[index] = try await facts.facts(of: others) }
        }
        var transactions: Set<TransactionId> = []
        for (_, facts) in lives.joined() {
            for fact in facts {
                if let id = fact.transaction?.transactionId { transactions.insert(id) }
            }
        }
        let shared = try await projections.sharedTransactions(among: transactions.sorted())
            .filter { $0.firstPosition <= position }
        return lives.map { chains in
            chains.map { id, facts in
                FoundChains.Chain(
                    id: id, facts: facts, shared: shared.isEmpty ? [] : own(shared, facts))
            }
        }
    }

    /// Of the transactions of these facts.
    private func own(_ shared: [SharedTransaction], _ facts: [Fact]) -> [SharedTransaction] {
        let ids = Set(facts.compactMap { $0.transaction?.transactionId })
        return shared.filter { ids.contains($0.transactionId) }
    }
}
