/// A movement's contribution to one cell of a roll-forward.
struct RollForwardChange: Hashable, Sendable {
    var key: RollForwardQuery.Key
    var column: RollForwardColumn
    /// Never negative: the column determines the sign.
    var amount: Int64
}

extension ChainMetrics {
    /// The changes at the start of a stretch; none between stretches without access.
    func changes(at index: Int, _ question: RollForwardQuery) -> [RollForwardChange] {
        let before = index == 0 ? nil : stretches[index - 1]
        guard let label = stretches[index].label(after: before) else { return [] }
        return ClassMovement(
            before: before.flatMap { CountedClass($0) }, after: CountedClass(stretches[index]),
            label: label
        ).changes(question)
    }
}

extension ClassMovement {
    /// The movement under one query: no change, one, or one for each side.
    func changes(_ question: RollForwardQuery) -> [RollForwardChange] {
        let left = before.flatMap { question.counts($0.values) ? $0 : nil }
        let entered = after.flatMap { question.counts($0.values) ? $0 : nil }
        switch (left, entered) {
        case (nil, nil): return []
        case (let left?, nil): return changes(leaving: left, question)
        case (nil, let entered?):
            return [
                RollForwardChange(
                    key: question.key(entered.values, reason: nil),
                    column: columnOfEntry(question), amount: question.amount(entered.annualised))
            ]
        case (let left?, let entered?): return changes(question, from: left, to: entered)
        }
    }

    private func changes(
        _ question: RollForwardQuery, from left: CountedClass, to entered: CountedClass
    ) -> [RollForwardChange] {
        // Most movements are renewals at the same price; comparing values costs less than comparing
        // keys.
        if left.values == entered.values, left.annualised == entered.annualised { return [] }
        let (old, new) = (
            question.key(left.values, reason: nil), question.key(entered.values, reason: nil)
        )
        let (before, after) = (
            question.amount(left.annualised), question.amount(entered.annualised)
        )
        guard old == new else {
            return [
                RollForwardChange(key: old, column: .movedOut, amount: before),
                RollForwardChange(key: new, column: .movedIn, amount: after),
            ]
        }
        if after == before { return [] }
        return [
            after > before
                ? RollForwardChange(key: new, column: .expansion, amount: after - before)
                : RollForwardChange(key: new, column: .contraction, amount: before - after)
        ]
    }

    private func columnOfEntry(_ question: RollForwardQuery) -> RollForwardColumn {
        guard let before else {
            if case .entry(let gain) = label { return .gained(gain) }
            return .gained(.new)
        }
        // Access continued: only whether it counts here changed.
        return question.measure != .chains && before.isTrial ? .converted : .movedIn
    }

    private func changes(
        leaving left: CountedClass, _ question: RollForwardQuery
    ) -> [RollForwardChange] {
        let amount = question.amount(left.annualised)
        let key = question.key(left.values, reason: nil)
        if let after {
            let isFree = question.measure != .chains && after.isTrial
            let column: RollForwardColumn = isFree ? .toFree : .movedOut
            return [RollForwardChange(key: key, column: column, amount: amount)]
        }
        let reason: EndReason = if case .end(let stated) = label { stated } else { .other }
        let churned = RollForwardColumn.churned(reason)
        guard question.dimensions.contains(.reason) else {
            return [RollForwardChange(key: key, column: churned, amount: amount)]
        }
        // Churn moves out of the row without a reason into the row of its reason and ends there, so
        // that every row balances and sums are unchanged.
        let own = question.key(left.values, reason: reason)
        return [
            RollForwardChange(key: key, column: .movedOut, amount: amount),
            RollForwardChange(key: own, column: .movedIn, amount: amount),
            RollForwardChange(key: own, column: churned, amount: amount),
        ]
    }
}
