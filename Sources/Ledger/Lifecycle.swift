import AppStore

/// One chain's life, folded from the set of its facts (`Lifecycle.md`). Pure: the same facts,
/// environment and catalogue give the same life, independent of order.
public struct Lifecycle: Sendable {
    let history: History
    public let timelineEvents: [TimelineEvent]
    public let notices: [Notice]
    /// Operators' commands about the chain (or the customer), without duplicates, in the order in
    /// which they take effect.
    public let commands: [Fact]
    /// The holders of the chain over time.
    public let holders: Holders
    /// Whether any known fact of the chain has the trust that access requires; without it the chain
    /// has its states, but gives no access (`Lifecycle.md` §6, Minimum trust).
    public let meetsMinimumTrust: Bool

    /// The version of the meaning of every answer; increases whenever an answer could change.
    public static let reducerVersion = 25

    /// Folds the facts of one chain. Total: an unusable fact has no effect and raises a notice.
    public init(_ facts: [Fact], environment: Environment, catalogue: Catalogue) {
        let history = History(
            OrderedFacts.ordered(facts, environment: environment), catalogue: catalogue)
        self.history = history
        meetsMinimumTrust = history.facts.facts.contains {
            catalogue.minimumTrust.admits($0.trust)
        }
        commands = CommandOrder.ordered(history.facts.unusable)
        holders = Holders(history, commands: commands)
        timelineEvents = TimelineEventReader.read(
            history, catalogue: catalogue, commands: CommandOrder.reported(commands, holders))
        notices = NoticeReader.read(history, catalogue: catalogue, holders: holders)
    }

    /// Changes of state, in order.
    public var transitions: [Transition] { Transition.transitions(history) }

    /// Adjacent intervals, one per period and state.
    public var intervals: [Interval] { history.intervals }

    /// Position of the event that proves the start of one of `intervals`.
    public func cause(of interval: Interval) -> Int64 { history.facts[interval.cause].position }

    /// Whether no period and no purchase is known; the chain then has no state at any time.
    public var isEmpty: Bool { history.intervals.isEmpty }

    /// Whether the chain is a one-time purchase (`Lifecycle.md` §5).
    public var isOneTime: Bool { history.isOneTime }

    /// Transitions and facts, merged in valid-time order.
    public var timeline: [TimelineEntry] { TimelineEntry.merge(transitions, timelineEvents) }

    /// State and attributes at a moment; nil before the first period.
    ///
    /// - Parameters:
    ///   - at: the requested moment.
    ///   - now: current time; only decides whether `at` lies in the future.
    public func answer(at: Timestamp, now: Timestamp) -> ChainAnswer? {
        AnswerReader(
            history: history, at: at, now: now, givesAccess: meetsMinimumTrust
        ).answer(notices: notices)
    }

    /// Every transactionId known of the chain, in byte order.
    public var transactionIds: [TransactionId] { history.records.map(\.transactionId) }
}
