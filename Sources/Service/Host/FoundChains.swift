import AppStore
import Ledger
internal import LedgerStore
internal import Projection
internal import SQLiteStore

/// The facts of the chains that an id names, and the state they were read from.
struct FoundChains: Sendable {
    struct Chain: Sendable {
        let id: ChainId
        let facts: [Fact]
        /// Their transactions that other chains contain too.
        let shared: [SharedTransaction]
    }

    /// Nil before the first state is published.
    let snapshot: LedgerSnapshot?
    let result: Result<[Chain], StoreError>

    /// Facts held by this value; at least one.
    var factCount: Int {
        guard case .success(let chains) = result else { return 1 }
        return chains.reduce(1) { $0 + $1.facts.count }
    }

    /// Reads the chains of many ids at once.
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
    /// The chains of each id: matched as originalTransactionId first, else as transactionId.
    fileprivate func chains(
        named ids: [String]
    ) async throws(StoreError) -> [[FoundChains.Chain]] {
        var lives = try await facts.lives(of: ids.map { OriginalTransactionId($0) })
        for index in lives.indices {
            // A life stored under a customer id is not a chain.
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

    /// Those among the transactions of these facts.
    private func own(_ shared: [SharedTransaction], _ facts: [Fact]) -> [SharedTransaction] {
        let ids = Set(facts.compactMap { $0.transaction?.transactionId })
        return shared.filter { ids.contains($0.transactionId) }
    }
}
