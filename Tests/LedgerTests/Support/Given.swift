import AppStore
import Ledger
import Testing

/// The life of these facts, in the order written.
func given(
    _ facts: Fact..., environment: Environment = .production, catalogue: Catalogue = Catalogue()
) -> Lifecycle {
    Lifecycle(numbered(facts), environment: environment, catalogue: catalogue)
}

func given(
    _ facts: [Fact], environment: Environment = .production, catalogue: Catalogue = Catalogue()
) -> Lifecycle {
    Lifecycle(numbered(facts), environment: environment, catalogue: catalogue)
}

/// Gives every fact a position, 1…n as written, and a digest of its content, unless set by the
/// test.
func numbered(_ facts: [Fact]) -> [Fact] {
    facts.enumerated().map { index, fact in
        fact.with {
            if $0.position == 0 { $0.position = Int64(index + 1) }
            if $0.digest == .unset { $0.digest = .of(fact) }
        }
    }
}

extension Lifecycle {
    /// The whole history: every interval's state and start.
    var history: [Start] { intervals.map { Start($0.state, $0.from) } }

    /// The answer for the moment, with `now` at the same moment.
    func answer(_ moment: Timestamp) -> ChainAnswer? { answer(at: moment, now: moment) }

    func state(_ moment: Timestamp) -> ChainState? { answer(moment)?.state }

    func notices(_ code: NoticeCode) -> [Notice] { notices.filter { $0.code == code } }

    func timelineEvents(_ name: TimelineEventName) -> [TimelineEvent] {
        timelineEvents.filter { $0.name == name }
    }
}

// MARK: Expectations

func expectHistory(
    _ life: Lifecycle, _ history: [Start], sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(life.history == history, sourceLocation: sourceLocation)
}

func expectNotices(
    _ life: Lifecycle, _ codes: [NoticeCode], sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(life.notices.map(\.code) == codes, sourceLocation: sourceLocation)
}
