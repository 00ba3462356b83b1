import AppStore

extension Lifecycle {
    /// The life that metrics count: without periods that began before the newest erasure. These are
    /// counted under random ids (`Erasure.md`), although Apple states them again later. Idempotent.
    package func counted(_ catalogue: Catalogue) -> Lifecycle {
        guard let erasedAt = history.facts.unusable.erasedAt else { return self }
        let later = (history.facts.facts + history.facts.unusable).filter { fact in
            fact.cause.kind != .erasure && fact.isCounted(afterErasureAt: erasedAt)
        }
        return Lifecycle(later, environment: history.facts.environment, catalogue: catalogue)
    }
}

extension Sequence<Fact> {
    /// When the chain of the facts was erased last; nil: never.
    package var erasedAt: Timestamp? {
        filter { $0.cause.kind == .erasure }.map(\.receivedAt).max()
    }
}

extension Fact {
    /// Whether metrics count what it states of a chain that was erased at a time.
    package func isCounted(afterErasureAt erasedAt: Timestamp) -> Bool {
        statedTransaction?.purchaseDate.map { $0 > erasedAt } ?? true
    }
}
