import AppStore
import Ledger
import Testing

/// Properties of every life, over arbitrary facts.
@Suite("Invariants over random lives")
struct InvariantTests {
    private struct ReportedLife: Sendable {
        let seed: UInt64
        let facts: [Fact]
        let life: Lifecycle
    }

    /// 150 random lives, every third outside Production, every second hostile.
    private static let lives: [ReportedLife] = (1...150).map { (seed: UInt64) in
        let environment: Environment = seed.isMultiple(of: 3) ? .sandbox : .production
        let facts = RandomLife.facts(
            seed: seed, count: 1 + Int(seed % 50),
            isHostile: seed.isMultiple(of: 2))
        return ReportedLife(
            seed: seed, facts: facts,
            life: Lifecycle(facts, environment: environment, catalogue: Catalogue()))
    }

    @Test("Intervals are adjacent, in order, not empty, and the last one is open")
    func adjacent() {
        for reported in InvariantTests.lives {
            let intervals = reported.life.intervals
            for (left, right) in zip(intervals, intervals.dropFirst()) {
                #expect(left.to == right.from, "seed \(reported.seed)")
                #expect(left.from < right.from, "seed \(reported.seed)")
                #expect(
                    left.state != right.state || left.transactionId != right.transactionId,
                    "seed \(reported.seed)")
            }
            #expect(intervals.allSatisfy { ($0.to == nil) == ($0 == intervals.last) })
        }
    }

    @Test("No answer before the first interval, one at every later moment; no later cancellation")
    func answers() {
        for reported in InvariantTests.lives {
            let (facts, life) = (reported.facts, reported.life)
            let first = life.intervals.first?.from
            for moment in Picture.moments(facts, life) {
                let isSince = first.map { $0 <= moment } ?? false
                let answer = life.answer(moment)
                #expect((answer != nil) == isSince, "seed \(reported.seed)")
                let since = answer?.cancellation?.at
                #expect(since.map { $0 <= moment } ?? true, "seed \(reported.seed)")
            }
            #expect(life.isEmpty == (first == nil))
        }
    }

    @Test("The answer at an interval's start agrees with it, with bounds around the moment")
    func answersAgree() throws {
        for reported in InvariantTests.lives {
            let life = reported.life
            for interval in life.intervals {
                let answer = try #require(life.answer(interval.from))
                #expect(answer.state == interval.state, "seed \(reported.seed)")
                #expect(answer.transactionId == interval.transactionId)
                #expect(answer.productId == interval.productId)
                #expect(answer.since <= interval.from)
                #expect(answer.until.map { $0 > interval.from } ?? true)
                #expect(answer.state.isEntitled || answer.accessUntil == nil)
                #expect(answer.accessUntil.map { $0 >= answer.until ?? $0 } ?? true)
                #expect((answer.revocation != nil) == (answer.state == .revoked))
            }
        }
    }

    @Test("Transitions are the changes of state between intervals")
    func transitions() {
        for reported in InvariantTests.lives {
            let life = reported.life
            let changes = life.intervals.enumerated().filter { index, interval in
                index == 0 || life.intervals[index - 1].state != interval.state
            }
            #expect(life.transitions.map(\.at) == changes.map(\.element.from))
            #expect(life.transitions.map(\.to) == changes.map(\.element.state))
            #expect(
                life.transitions.dropFirst().map(\.from) == life.transitions.dropLast().map(\.to))
            #expect(life.timeline.map(\.at) == life.timeline.map(\.at).sorted())
            #expect(life.timeline.count == life.transitions.count + life.timelineEvents.count)
        }
    }

    @Test("Causes, the events of entries and evidence are facts of the life; no notice is empty")
    func evidence() {
        for reported in InvariantTests.lives {
            let (facts, life) = (reported.facts, reported.life)
            let positions = Set(facts.map(\.position))
            for entry in life.timeline {
                #expect(entry.events.contains(entry.cause), "seed \(reported.seed)")
                #expect(entry.events == Array(Set(entry.events)).sorted())
                #expect(positions.isSuperset(of: entry.events), "seed \(reported.seed)")
            }
            for notice in life.notices {
                #expect(!notice.evidence.isEmpty && positions.isSuperset(of: notice.evidence))
                #expect(notice.evidence == notice.evidence.sorted())
                #expect(notice.to.map { notice.from < $0 } ?? true, "seed \(reported.seed)")
            }
            for interval in life.intervals {
                let evidence = life.answer(interval.from)?.evidence ?? []
                #expect(!evidence.isEmpty && positions.isSuperset(of: evidence))
            }
        }
    }

    @Test("Subscriptions and one-time purchases share no states")
    func kinds() {
        let oneTime: Set<ChainState> = [.owned, .lapsed, .consumed, .revoked]
        for reported in InvariantTests.lives {
            let life = reported.life
            let states = Set(life.intervals.map(\.state)).subtracting([.revoked])
            #expect(states.allSatisfy { oneTime.contains($0) == life.isOneTime })
        }
    }

    @Test(
        "Dates at the limits of their range are folded in Production",
        arguments: [
            (Int64.min, Int64.max), (.max, .min), (.min, .min), (.max, .max), (0, .max), (.min, 0),
        ] as [(Int64, Int64)])
    func hostile(_ from: Int64, _ to: Int64) {
        let (start, end) = (Timestamp(milliseconds: from), Timestamp(milliseconds: to))
        for signedDate in [start, end, day(0)] {
            let life = given(
                .subscribed("1", start, end, at: signedDate).revoked(end),
                .didFailToRenew(at: signedDate, grace: end), .status(.active, at: end),
                .didRenew("2", end, start, at: start))
            #expect(!life.isEmpty)
            #expect(life.intervals.last?.to == nil)
        }
    }

    @Test("A period of which twice the length overflows is folded outside Production")
    func endless() {
        let end = Timestamp(milliseconds: .max)
        #expect(!given(.subscribed("1", day(0), end), environment: .sandbox).isEmpty)
    }

    @Test("A thousand renewals and their facts are one life")
    func long() {
        let facts = (0..<1000).flatMap { (number: Int64) -> [Fact] in
            [
                .didRenew("\(number + 1)", day(number * 30), day(number * 30 + 30))
                    .digest(UInt64(number) + 1),
                .autoRenew(number.isMultiple(of: 2), at: day(number * 30 + 5))
                    .digest(UInt64(number) + 1),
            ]
        }
        let life = given(facts)
        #expect(life.intervals.count == 1001)
        #expect(life.transitions.map(\.to) == [.renewing, .expired])
        #expect(life.timelineEvents(.renewed).count == 1000)
    }
}
