import AppStore

extension TimelineEvent {
    /// An operator's command in a chain's life; nil for one that concerns only a customer.
    init?(command fact: Fact) {
        let name: TimelineEventName
        switch fact.command?.action {
        case .link, .claim: name = .accountLinked
        case .unlink: name = .accountUnlinked
        case .note: name = .noted
        case .grant, .ungrant, nil: return nil
        }
        self.init(
            name: name, at: fact.receivedAt, productId: nil, transactionId: nil,
            cause: fact.position, secondCause: nil, detail: nil, fact: nil)
    }
}

/// The order in which commands take effect, and which of them appear in a timeline.
enum CommandOrder {
    /// Notes, and commands that changed the holders. An unlink without effect or a refused claim is
    /// left out.
    static func reported(_ commands: [Fact], _ holders: Holders) -> [Fact] {
        guard !commands.isEmpty else { return [] }
        let effective = Set(holders.effective.map(\.position))
        return commands.filter { fact in
            if case .note = fact.command?.action { return true }
            return effective.contains(fact.position)
        }
    }

    /// By receivedAt, ties by position (`Lifecycle.md` §6). Of commands with one id the first in
    /// the log counts: an id names one decision. Compares bytes, as the log does.
    static func ordered(_ facts: [Fact]) -> [Fact] {
        guard facts.contains(where: { $0.command != nil }) else { return [] }
        var seen: Set<[UInt8]> = []
        let byPosition = facts.filter { $0.command != nil }.sorted { $0.position < $1.position }
        let first = byPosition.filter { fact in
            fact.command.map { seen.insert(Array($0.id.utf8)).inserted } ?? false
        }
        return first.sorted { left, right in
            (left.receivedAt, left.position) < (right.receivedAt, right.position)
        }
    }
}
