/// The name of a change: a transition's, a fact's, or one of the two that say something about what
/// was told before. Raw values are the contract's; no two names are alike.
public enum ChangeName: Hashable, Sendable {
    case transition(TransitionName)
    case fact(LifeFactName)
    /// A later event showed that something told before was not so, or was so at another time.
    case corrected
    /// Something about the subscription changed that has no name of its own: until when access
    /// lasts, the token, the price of a period, what follows at the next renewal.
    case updated

    public init?(rawValue: String) {
        if let name = TransitionName(rawValue: rawValue) {
            self = .transition(name)
        } else if let name = LifeFactName(rawValue: rawValue) {
            self = .fact(name)
        } else if rawValue == ChangeName.corrected.rawValue {
            self = .corrected
        } else if rawValue == ChangeName.updated.rawValue {
            self = .updated
        } else {
            return nil
        }
    }

    public var rawValue: String {
        switch self {
        case .transition(let name): name.rawValue
        case .fact(let name): name.rawValue
        case .corrected: "corrected"
        case .updated: "updated"
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
    /// Transitions, facts, then the two others.
    public static var allCases: [ChangeName] {
        TransitionName.allCases.map { .transition($0) } + LifeFactName.allCases.map { .fact($0) }
            + [.corrected, .updated]
    }
}
