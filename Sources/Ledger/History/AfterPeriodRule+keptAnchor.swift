import AppStore

extension AfterPeriodRule {
    /// Grace with a kept anchor: the next period starts exactly at E, but was first stated later,
    /// after a failure with a grace date (rule 5, last clause).
    ///
    /// A chain stated late has every period's first statement years after the period began, so any
    /// failure would lie in the window of each period: only facts about the payment due at E count.
    /// A failure does not delay a period that a higher rank states (rule 2).
    ///
    /// - Parameter following: start of the period after the next one; nil if none is known.
    func keptAnchorGrace(_ next: Period, before following: Timestamp?) -> Segment? {
        guard next.firstStated > period.end else { return nil }
        let last = min(next.firstStated, next.end, following ?? next.end)
        let window = candidateFacts(until: last)
        // Shortcut: nearly every period was paid immediately.
        guard window.contains(where: { graceDate($0) != nil }) else { return nil }
        let reported = window.filter { isAboutEnd($0, before: next) }
        guard let trust = reported.map({ facts[$0].trust }).max(),
            trust >= facts[next.bestFact].trust
        else { return nil }
        let stated = failing(reported.filter { facts[$0].trust == trust }).last { index in
            graceDate(index) != nil
        }
        guard let stated, let date = graceDate(stated) else { return nil }
        // A period cannot begin to count after its end.
        let until = min(next.firstStated, date, next.end)
        guard until > period.end else { return nil }
        return Segment(
            state: .grace, from: period.end, to: until, proof: Proof(stated, date: period.endFact))
    }

    /// Whether a fact signed before the end of the next period concerns the payment due at E: it
    /// names a purchase of this period, or it names none and precedes the facts about the next
    /// period's end.
    private func isAboutEnd(_ index: Int, before next: Period) -> Bool {
        if let isNamed = namesPurchase(index) { return isNamed }
        return facts.times[index] < next.end.advanced(byMilliseconds: -next.leadMilliseconds)
    }

    /// Whether a fact names a purchase of this period, which may be empty, or a copy of one; nil if
    /// it names none, or may name any.
    func namesPurchase(_ index: Int) -> Bool? {
        guard !TrustRanks.ofAnyPurchase.contains(facts[index].cause.notificationType?.value),
            let stated = facts[index].statedTransaction, let bought = stated.bought
        else { return nil }
        return stated.transactionId == period.transactionId
            || period.start <= bought && bought < period.end
    }
}
