/// A movement's contribution to one cell of a roll-forward.
struct RollForwardChange: Hashable, Sendable {
    var key: RollForwardQuery.Key
    var column: RollForwardColumn
    /// Never negative: the column determines the sign.
    var amount: Int64
}

extension Movement {
    /// The movement under one query: no change, one, or one for each side.
    func changes(_ question: RollForwardQuery) -> [RollForwardChange] {
        let left = before.flatMap { question.counts($0) ? $0 : nil }
        let entered = question.counts(after) ? after : nil
        switch (left, entered) {
        case (nil, nil): return []
        case (let left?, nil): return changes(leaving: left, question)
        case (nil, let entered?):
            return [
                RollForwardChange(
                    key: question.key(entered.values, reason: nil),
                    column: columnOfEntry(question), amount: question.amount(entered))
            ]
        case (let left?, let entered?): return changes(question, from: left, to: entered)
        }
    }

    private func changes(
        _ question: RollForwardQuery, from left: CountedStretch, to entered: CountedStretch
    ) -> [RollForwardChange] {
        // Most movements are renewals at the same price; comparing values costs less than comparing
        // keys.
        if left.values == entered.values, left.annualised == entered.annualised { return [] }
        let (old, new) = (
            question.key(left.values, reason: nil), question.key(entered.values, reason: nil)
        )
        let (before, after) = (question.amount(left), question.amount(entered))
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
        guard let before, before.state.isEntitled else { return .gained(after.entry ?? .new) }
        // Access continued: only whether it counts here changed.
        return question.measure != .chains && before.isTrial ? .converted : .movedIn
    }

    private func changes(
        leaving left: CountedStretch, _ question: RollForwardQuery
    ) -> [RollForwardChange] {
        let amount = question.amount(left)
        let key = question.key(left.values, reason: nil)
        guard !after.state.isEntitled else {
            let isFree = question.measure != .chains && after.isTrial
            let column: RollForwardColumn = isFree ? .toFree : .movedOut
            return [RollForwardChange(key: key, column: column, amount: amount)]
        }
        let reason = after.reason ?? .other
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
