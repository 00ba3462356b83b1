/// The name of a change: a transition, a fact, or `corrected`, `updated` or `erased`. Raw values
/// are part of the contract and unique.
public enum ChangeName: Hashable, Sendable {
    case transition(TransitionName)
    case fact(TimelineEventName)
    /// A later event showed that an emitted entry was false, or true at another time.
    case corrected
    /// A change of the subscription that has no other name: the end of access, its evidence being
    /// enough to give access (`Lifecycle.md` §6, Minimum trust), the token, the price of a period,
    /// the terms of the next renewal.
    case updated
    /// The data of the chain was erased; a receiver erases its own (`Erasure.md`).
    case erased

    public init?(rawValue: String) {
        guard let name = ChangeName.allCases.first(where: { $0.rawValue == rawValue }) else {
            return nil
        }
        self = name
    }

    public var rawValue: String {
        switch self {
        case .transition(let name): name.rawValue
        case .fact(let name): name.rawValue
        case .corrected: "corrected"
        case .updated: "updated"
        case .erased: "chain.erased"
        }
    }

    init(_ entry: TimelineEntry) {
        switch entry.kind {
        case .state(let transition): self = .transition(TransitionName(transition))
        case .fact(let fact): self = .fact(fact.name)
        }
    }
}

extension ChangeName: CaseIterable {
    /// Transitions, facts, then the others.
    public static var allCases: [ChangeName] {
        TransitionName.allCases.map { .transition($0) }
            + TimelineEventName.allCases.map { .fact($0) }
            + [.corrected, .updated, .erased]
    }
}
