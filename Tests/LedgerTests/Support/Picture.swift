import AppStore
import Ledger

/// All output of a life, as values for bitwise comparison.
struct Picture: Hashable, Sendable {
    let intervals: [Interval]
    let transitions: [Transition]
    let timelineEvents: [TimelineEvent]
    let notices: [Notice]
    let timeline: [TimelineEntry]
    let transactionIds: [TransactionId]
    let answers: [ChainAnswer?]

    init(_ life: Lifecycle, moments: [Timestamp]) {
        intervals = life.intervals
        transitions = life.transitions
        timelineEvents = life.timelineEvents
        notices = life.notices
        timeline = life.timeline
        transactionIds = life.transactionIds
        answers = moments.flatMap { moment in
            [life.answer(moment), life.answer(at: moment, now: day(0))]
        }
    }

    /// Every moment at which something is stated or may change, and its neighbours.
    static func moments(_ facts: [Fact], _ life: Lifecycle) -> [Timestamp] {
        var moments = Set([Timestamp(milliseconds: .min), Timestamp(milliseconds: .max), day(0)])
        for fact in facts {
            if let date = fact.signedDate { moments.insert(date) }
        }
        for interval in life.intervals {
            moments.insert(interval.from)
            moments.insert(interval.from.advanced(byMilliseconds: -1))
            moments.insert(interval.from.advanced(byMilliseconds: 1))
        }
        return moments.sorted()
    }
}
