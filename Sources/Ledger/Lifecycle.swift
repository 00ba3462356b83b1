import AppStore

/// One chain's life, folded from the set of its facts (`lifecycle.md`). Pure: the same facts,
/// environment and catalogue give the same life, in whatever order they came.
public struct Lifecycle: Sendable {
    let history: History
    public let lifeFacts: [LifeFact]
    public let notices: [Notice]
    /// Operators' commands about the chain (or the customer), each once, in the order in which they
    /// take effect.
    public let commands: [Fact]
    /// Who holds the chain, and when.
    public let holders: Holders
    /// Whether anything that is known of the chain is vouched for as access demands; without it the
    /// chain has its states, and gives access to none (`lifecycle.md` §6, Minimum trust).
    public let meetsMinimumTrust: Bool

    /// The version of the meaning of every answer; rises whenever one could change.
    public static let reducerVersion = 6

    /// Folds the facts of one chain. Total: a fact it cannot use changes nothing and is noticed.
    public init(_ facts: [Fact], environment: Environment, catalogue: Catalogue) {
        let history = History(
            OrderedFacts(facts, environment: environment), environment: environment,
            catalogue: catalogue)
        self.history = history
        meetsMinimumTrust = history.facts.facts.contains {
            catalogue.minimumTrust.admits($0.trust)
        }
        commands = CommandOrder.ordered(history.facts.unusable)
        holders = Holders(history, commands: commands)
        lifeFacts = LifeFactReader.read(
            history, catalogue: catalogue, commands: CommandOrder.told(commands, holders))
        notices = NoticeReader.read(history, catalogue: catalogue, holders: holders)
    }

    /// Changes of state, in order.
    public var transitions: [Transition] { Transition.transitions(history) }

    /// Adjacent intervals, one per period and state.
    public var intervals: [Interval] { history.intervals }

    /// Position of the event that proves that one of `intervals` began.
    public func cause(of interval: Interval) -> Int64 { history.facts[interval.cause].position }

    /// Whether no period and no purchase is known: then the chain has no state at any time.
    public var isEmpty: Bool { history.intervals.isEmpty }

    /// Whether the chain is a one-time purchase (`lifecycle.md` §5).
    public var isOneTime: Bool { history.isOneTime }

    /// Transitions and facts, merged in valid-time order.
    public var timeline: [TimelineEntry] { TimelineEntry.merge(transitions, lifeFacts) }

    /// State and attributes at a moment; nil before the first period.
    ///
    /// - Parameters:
    ///   - at: the moment asked about.
    ///   - now: the clock's now; only tells whether `at` lies in the future.
    public func answer(at: Timestamp, now: Timestamp) -> ChainAnswer? {
        AnswerReader(
            history: history, at: at, now: now, givesAccess: meetsMinimumTrust
        ).answer(notices: notices)
    }

    /// Every transactionId known of the chain, in byte order.
    public var transactionIds: [TransactionId] { history.records.map(\.transactionId) }
}
