import AppStore

extension Lifecycle {
    /// The life that metrics count: without transactions that an erasure of the chain keeps. These
    /// are counted under random ids (`Erasure.md`), although Apple states them again later.
    /// Idempotent.
    package func counted(_ catalogue: Catalogue) -> Lifecycle {
        guard let erased = history.facts.unusable.erasedPurchases else { return self }
        let rest = (history.facts.facts + history.facts.unusable).filter { fact in
            fact.cause.kind != .erasure && fact.isCounted(besides: erased)
        }
        return Lifecycle(rest, environment: history.facts.environment, catalogue: catalogue)
    }
}

extension Sequence<Fact> {
    /// The seconds in which the transactions were bought that the erasures of the chain keep; nil:
    /// it was never erased. Receipts have whole seconds.
    package var erasedPurchases: Set<Int64>? {
        let erasures = filter { $0.cause.kind == .erasure }
        guard !erasures.isEmpty else { return nil }
        return Set(erasures.flatMap(\.erasedPurchases).map(\.wholeSeconds))
    }
}

extension Fact {
    /// Whether metrics count what it states of a chain beside what erasures of the chain keep.
    package func isCounted(besides erased: Set<Int64>) -> Bool {
        statedTransaction?.purchaseDate.map { !erased.contains($0.wholeSeconds) } ?? true
    }
}
