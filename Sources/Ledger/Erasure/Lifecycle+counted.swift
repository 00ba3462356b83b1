import AppStore

extension Lifecycle {
    /// The life that metrics count. What an earlier life under the same ids stated is counted under
    /// random ids (`Erasure.md`), and Apple states it again with every event: periods that began
    /// before the newest erasure are left out.
    func counted(_ catalogue: Catalogue) -> Lifecycle {
        let erasures = history.facts.unusable.filter { $0.cause.kind == .erasure }
        guard let erasedAt = erasures.map(\.receivedAt).max() else { return self }
        let later = (history.facts.facts + history.facts.unusable).filter { fact in
            guard fact.cause.kind != .erasure else { return false }
            return fact.statedTransaction?.purchaseDate.map { $0 > erasedAt } ?? true
        }
        return Lifecycle(later, environment: history.facts.environment, catalogue: catalogue)
    }
}
