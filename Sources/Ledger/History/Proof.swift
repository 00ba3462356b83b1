/// The facts that prove that a state began, by their places among the chain's facts.
struct Proof: Hashable, Sendable {
    /// The one that says it, or whose date made it so.
    let cause: Int
    /// The one that states the date, where that is another.
    var date: Int?
    /// The one that gives the reason, where that is another.
    var reason: Int?

    init(_ cause: Int, date: Int? = nil, reason: Int? = nil) {
        (self.cause, self.date, self.reason) = (cause, date, reason)
    }

    /// The same state given back by a fact that ended a revocation: what proved it proves it again.
    func restored(by closer: Int) -> Proof { Proof(closer, date: cause, reason: reason) }

    /// Positions of all of them, ascending, each once.
    func positions(_ facts: OrderedFacts) -> [Int64] {
        [cause, date, reason].compactMap { $0.map { facts[$0].position } }.ascending()
    }
}
