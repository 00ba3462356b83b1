public import AppStore

/// A manual grant: an operator gave a customer an entitlement until a date (`Lifecycle.md` §6).
public struct Grant: Hashable, Sendable {
    /// The id of its command.
    public var id: String
    public var customer: CustomerId
    public var entitlement: String
    public var actor: String
    public var reason: String
    /// When it was received; it gives no access before.
    public var from: Timestamp
    /// The granted end date.
    public var until: Timestamp
    /// When it was withdrawn; nil if it was not.
    public var withdrawnAt: Timestamp?
    /// Positions of the grant and of its withdrawal.
    public var evidence: [Int64]

    /// The effective end.
    public var end: Timestamp { withdrawnAt.map { min($0, until) } ?? until }

    /// Whether this is its id, by bytes: String's own equality would equate canonically equivalent
    /// spellings, which the log keeps apart.
    package func isNamed(_ id: String) -> Bool { self.id.utf8.elementsEqual(id.utf8) }

    /// The grants that result from the events about a customer, in order.
    ///
    /// - Parameter facts: those of `ChainId(customer:)`; others are ignored.
    public static func grants(_ facts: [Fact]) -> [Grant] {
        var grants: [Grant] = []
        for fact in CommandOrder.ordered(facts) {
            guard let command = fact.command else { continue }
            switch command.action {
            case .grant(let customer, let entitlement, let until):
                grants.append(
                    Grant(
                        id: command.id, customer: customer, entitlement: entitlement,
                        actor: command.actor, reason: command.reason, from: fact.receivedAt,
                        until: until, withdrawnAt: nil, evidence: [fact.position]))
            case .ungrant(let customer, let id):
                let index = grants.firstIndex {
                    $0.isNamed(id) && $0.customer == customer && $0.withdrawnAt == nil
                }
                guard let index else { continue }
                grants[index].withdrawnAt = fact.receivedAt
                grants[index].evidence = [grants[index].evidence[0], fact.position].sorted()
            case .link, .unlink, .claim, .note: continue
            }
        }
        return grants
    }

    public init(
        id: String, customer: CustomerId, entitlement: String, actor: String, reason: String,
        from: Timestamp, until: Timestamp, withdrawnAt: Timestamp?, evidence: [Int64]
    ) {
        self.id = id
        self.customer = customer
        self.entitlement = entitlement
        self.actor = actor
        self.reason = reason
        self.from = from
        self.until = until
        self.withdrawnAt = withdrawnAt
        self.evidence = evidence
    }
}
