import AppStore
import LedgerTestSupport
import Projection
import Simulator
import TestSupport
import Testing

@testable import Console
@testable import Ledger
@testable import Queries

@Suite("Long timelines")
struct LongTimelineTests {
    @Test("A customer with 100,000 notes has pages of one size, first, middle and last")
    func pages() async throws {
        let story = try StoryTelling.story(try #require(StoryTelling.names.first))
        let lines = try story.deliveries.map { try $0.line(signedBy: TestAuthority.shared) }
        try await Gate.ledgers.pass {
            var telling = try await StoryTelling(story)
            try await telling.take(lines)
            try await telling.session { session in
                var cursor: ChainCursor?
                let moment = Moment(at: StoryCheck.end, now: StoryCheck.end)
                let chain = try #require(
                    try await session.query.next(after: &cursor, moment: moment))
                try LongTimelineTests.check(chain)
            }
            await telling.scratch.remove()
        }
    }

    private static let count = 100_000

    private static func check(_ chain: ChainReading) throws {
        let start = StoryCheck.end
        let reading = CustomerReading(
            customer: CustomerId("ann"), moment: chain.moment, stamp: chain.stamp, chains: [],
            elsewhere: [], commands: (0..<count).map { note($0, from: start) })
        let frame = Frame.bare(["customers", "ann"], now: start)
        // Before the newest, before the middle, and before the last page's entries.
        for index in [count, count / 2, TimelineSlice.count, 1] {
            let before =
                index == count
                ? nil : TimelinePlace(at: start.advanced(byMilliseconds: Int64(index)), ordinal: 0)
            let slice = TimelineSlice(reading, before: before)
            let shown = min(index, TimelineSlice.count)
            #expect(slice.entries.count == shown)
            #expect(slice.entries.first?.at == note(index - 1, from: start).receivedAt)
            #expect((slice.next == nil) == (index <= TimelineSlice.count))
            let html = TimelineRows(frame: frame, isMerged: true).table(slice, gaps: []).text
            #expect(html.components(of: "ticket ") == shown && html.utf8.count < 40 * 1_024)
        }
    }

    private static func note(_ index: Int, from start: Timestamp) -> Fact {
        Fact(
            position: Int64(index + 1), receivedAt: start.advanced(byMilliseconds: Int64(index)),
            trust: .operator, cause: Cause(kind: .command), signedDate: nil,
            digest: Digest(words: (0, 0, 0, 0)),
            command: Command(
                id: "\(index)", actor: "sara", reason: "ticket \(index)",
                action: .note(CustomerId("ann"))))
    }
}
