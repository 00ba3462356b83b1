/// The facts that prove the start of a state, as indices of the chain's facts.
struct Proof: Hashable, Sendable {
    /// The fact that states it, or whose date caused it.
    let cause: Int
    /// The fact that states the date, if another one.
    var date: Int?
    /// The fact that gives the reason, if another one.
    var reason: Int?

    init(_ cause: Int, date: Int? = nil, reason: Int? = nil) {
        (self.cause, self.date, self.reason) = (cause, date, reason)
    }

    /// The proof of the same state after a revocation was ended by `closer`; the earlier proof
    /// remains part of it.
    func restored(by closer: Int) -> Proof { Proof(closer, date: cause, reason: reason) }

    /// All these facts.
    var facts: [Int] { [cause, date, reason].compactMap { $0 } }

    /// Their positions, ascending and unique.
    func positions(_ ordered: OrderedFacts) -> [Int64] {
        facts.map { ordered[$0].position }.ascending()
    }
}
