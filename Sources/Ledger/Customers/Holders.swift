public import AppStore

/// The holders of a chain over valid time (`Lifecycle.md` §6): by default the customer named by its
/// appAccountToken; an explicit link takes precedence until it is removed. The first link holds
/// from the chain's start, later ones from when they were received.
public struct Holders: Hashable, Sendable {
    /// Adjacent and in order, covering all time; spans without a named customer have no holders.
    public let spans: [Span]
    /// Every customer that any fact ever named, in byte order, including those overridden by
    /// others, because the holder depends on what is known at a time.
    public let named: [CustomerId]

    /// A half-open stretch of valid time with the same holders.
    public struct Span: Hashable, Sendable {
        public var from: Timestamp
        /// Nil: without end.
        public var to: Timestamp?
        public var holders: [Holder]
        /// Whether explicit links, not the token, name the holders.
        public var isLinked: Bool
    }

    /// The outcome of an upload that names a customer.
    public enum ClaimOutcome: String, Sendable, CaseIterable {
        /// The customer holds the chain already.
        case held
        /// The customer holds it exclusively from now on.
        case moved
        /// The customer holds it too, from now on.
        case added
        /// The present holder keeps it, by policy, token or an operator's link.
        case refused
    }

    /// A change of the explicit holders at a time.
    private struct Link {
        var from: Timestamp
        var holders: [Holder]
    }

    let tokens: Tokens
    /// The commands that changed the holders.
    let effective: [Fact]

    init(_ history: History, commands: [Fact]) {
        tokens = Tokens(history)
        guard !commands.isEmpty else {
            effective = []
            named = tokens.named
            spans = Holders.spans([], tokens)
            return
        }
        // Also by a command under an id that another one has: it is in the log as well.
        let decided = history.facts.unusable.compactMap { $0.command?.customer }
        named = Set(tokens.named + decided).sorted()
        var links: [Link] = []
        var effective: [Fact] = []
        for fact in commands {
            guard let command = fact.command else { continue }
            let present = Holders.present(links, tokens, at: fact.receivedAt)
            guard let next = Holders.holders(after: command.action, present, links, fact) else {
                continue
            }
            links.append(
                Link(
                    from: links.isEmpty ? Timestamp(milliseconds: .min) : fact.receivedAt,
                    holders: next))
            effective.append(fact)
        }
        self.effective = effective
        spans = Holders.spans(links, tokens)
    }

    // MARK: Reading

    /// The holders at a moment.
    public func holders(at time: Timestamp) -> [Holder] {
        spans.last { $0.from <= time }?.holders ?? []
    }

    /// Positions of the events that decide the holders at a moment (the last commands by then and
    /// the first one, which holds from the beginning, and those that name the holders), and the
    /// lowest trust of the tokens among them.
    func change(at time: Timestamp) -> (evidence: [Int64], trust: Trust) {
        let commands = effective.prefix { $0.receivedAt <= time }
        let cited = (commands.prefix(1) + commands.suffix(Holders.citedCommandCount))
            .map(\.position)
        let next = holders(at: time)
        return (cited + next.map(\.cause), next.compactMap(\.tokenTrust).min() ?? .signed)
    }

    /// Most commands before a change that are cited beside the first: uploads may change the
    /// holders again and again.
    private static let citedCommandCount = 7

    /// What a claim would do at a moment.
    public func outcome(
        of claim: CustomerId, policy: ClaimPolicy, at time: Timestamp
    ) -> ClaimOutcome {
        let present = holders(at: time)
        let token = tokens.holder(at: time)?.customer
        return Holders.outcome(of: claim, policy, present, token: token)
    }

    /// Whether the last decision about a customer undid their claim: neither the same upload nor,
    /// while no customer holds the chain, another one makes it again.
    package func isClaimUndone(of customer: CustomerId) -> Bool {
        let own = effective.filter { $0.command?.customer == customer }.suffix(2)
        return own.map { $0.command?.name } == [.claim, .unlink]
    }

    /// Position of the last decision by a moment where that is an unlink; nil where it is another
    /// one.
    package func lastUnlink(by time: Timestamp = Timestamp(milliseconds: .max)) -> Int64? {
        effective.last { $0.receivedAt <= time }
            .flatMap { $0.command?.name == .unlink ? $0.position : nil }
    }

    // MARK: Links

    /// The explicit links if any, else the token's customer.
    private static func present(
        _ links: [Link], _ tokens: Tokens, at time: Timestamp
    ) -> (holders: [Holder], token: CustomerId?) {
        let token = tokens.holder(at: time)
        let linked = links.last?.holders ?? []
        return (linked.isEmpty ? token.map { [$0] } ?? [] : linked, token?.customer)
    }

    /// The explicit holders after an action; nil if it changes nothing.
    private static func holders(
        after action: Command.Action, _ present: (holders: [Holder], token: CustomerId?),
        _ links: [Link], _ fact: Fact
    ) -> [Holder]? {
        switch action {
        case .link(let customer):
            return [Holder(customer: customer, authority: .operator, cause: fact.position)]
        case .unlink(let customer):
            let linked = links.last?.holders ?? []
            // A token's customer, beside whom a claim was added, has no link.
            let rest = linked.filter { $0.customer != customer || $0.authority == .token }
            guard rest.count < linked.count else { return nil }
            return rest.allSatisfy { $0.authority == .token } ? [] : rest
        case .claim(let customer, let policy):
            let new = Holder(customer: customer, authority: .claim, cause: fact.position)
            switch outcome(of: customer, policy, present.holders, token: present.token) {
            case .held, .refused: return nil
            case .moved: return [new]
            case .added: return present.holders + [new]
            }
        case .grant, .ungrant, .note: return nil
        }
    }

    private static func outcome(
        of claim: CustomerId, _ policy: ClaimPolicy, _ present: [Holder], token: CustomerId?
    ) -> ClaimOutcome {
        if present.contains(where: { $0.customer == claim }) { return .held }
        if present.isEmpty { return .moved }
        switch policy {
        case .keep: return .refused
        case .share: return .added
        case .transfer:
            let isFirm = present.contains { $0.authority != .claim || $0.customer == token }
            return isFirm ? .refused : .moved
        }
    }

    // MARK: Spans

    private static func spans(_ links: [Link], _ tokens: Tokens) -> [Span] {
        var spans: [Span] = []
        func add(_ from: Timestamp, _ to: Timestamp?, _ holders: [Holder], _ isLinked: Bool) {
            if let to, to <= from { return }
            if let last = spans.last, last.holders == holders, last.isLinked == isLinked {
                spans[spans.count - 1].to = to
                return
            }
            spans.append(Span(from: from, to: to, holders: holders, isLinked: isLinked))
        }
        let none = [Link(from: Timestamp(milliseconds: .min), holders: [])]
        let steps = links.isEmpty ? none : links
        for (index, step) in steps.enumerated() {
            let to = index + 1 < steps.count ? steps[index + 1].from : nil
            if step.holders.isEmpty {
                tokens.each(from: step.from, to: to) { add($0, $1, $2.map { [$0] } ?? [], false) }
            } else {
                add(step.from, to, step.holders, true)
            }
        }
        return spans
    }
}
