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
    @Test("5,000 notes, and many chains of many states, have pages of a bounded size")
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
                    try await session.snapshot.next(after: &cursor, moment: moment))
                try LongTimelineTests.check(chain)
                try LongTimelineTests.checkSizes(like: chain)
            }
            await telling.scratch.remove()
        }
    }

    private static let count = 5_000

    private static func check(_ chain: ChainReading) throws {
        let start = StoryCheck.end
        let reading = CustomerReading(
            customer: CustomerId("ann"), moment: chain.moment, stamp: chain.stamp, chains: [],
            elsewhere: [], commands: (0..<count).map { note($0, from: start) })
        let frame = Frame.bare(["customers", "ann"], now: start)
        // Before the newest, before the middle, and before the last page's entries.
        for index in [count, count / 2, TimelineRows.entryCount, 1] {
            let before =
                index == count
                ? nil : TimelinePlace(at: start.advanced(byMilliseconds: Int64(index)), ordinal: 0)
            let slice = reading.page(
                .newest, after: before, limit: TimelineRows.entryCount)
            let shown = min(index, TimelineRows.entryCount)
            #expect(slice.entries.count == shown)
            #expect(slice.entries.first?.at == note(index - 1, from: start).receivedAt)
            #expect((slice.next == nil) == (index <= TimelineRows.entryCount))
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

    /// Largest page, in bytes, as in the browser test.
    private static let pageByteCount = 60 * 1_024
    /// Purchases of a chain, each of which ended.
    private static let lapseCount = 100

    /// The pages of one and of many chains that ended and were bought again, beside many notes.
    private static func checkSizes(like other: ChainReading) throws {
        let chains = try (0..<2 * CustomerPage.chainCount).map { number in
            try lapsing(String(600_000_000_000_000 + number), like: other)
        }
        let chain = try #require(chains.first)
        let frame = Frame.bare(["subscriptions", "1"], now: chain.moment.now)
        let page = SubscriptionPage(frame, chain, before: nil).page.html
        #expect(chain.intervals.count > StateBand.stretchCount)
        // The states are those of the moment, whenever they were known.
        var past = frame
        past.state.knowledge = .knownAt(try #require(chain.intervals.last?.from))
        let band = StateBand(frame: past, reading: chain).svg.text
        #expect(band == StateBand(frame: frame, reading: chain).svg.text)
        #expect(page.components(of: "<rect class=\"s-") == StateBand.stretchCount)
        // Words below a stretch say its state, not its colour alone.
        #expect(band.contains("y=\"32\">\(chain.answer.state.text)</text>"))
        #expect(band.contains("Last narrow stretches, from the left: "))
        #expect(band.contains("renewing from <time "))
        let region = "aria-label=\"States over time of \(chain.chain.originalTransactionId)\""
        #expect(band.contains("tabindex=\"0\" role=\"region\" \(region)"))
        var local = frame
        local.state.zone = .local
        let there = StateBand(frame: local, reading: chain).svg.text
        #expect(there.components(of: " UTC</text>") == 2 && !band.contains("UTC"))
        #expect(page.utf8.count <= pageByteCount)
        let customer = CustomerId("ann")
        let reading = CustomerReading(
            customer: customer, moment: chain.moment, stamp: chain.stamp, chains: chains,
            elsewhere: [], commands: (0..<lapseCount).map { note($0, from: StoryCheck.end) })
        let nothing = Entitlements(
            at: chain.moment.at, holdings: [], grants: [], catalogue: Catalogue())
        let whole = CustomerPage(
            frame,
            EntitlementsAnswer(customer: customer, stamp: chain.stamp, entitlements: nothing),
            reading, before: nil
        ).page.html
        #expect(whole.components(of: "<rect class=\"s-") == StateBand.stretchCount)
        #expect(whole.contains("\(CustomerPage.chainCount) further chains"))
        #expect(whole.utf8.count <= pageByteCount)
    }

    private static func lapsing(_ id: String, like other: ChainReading) throws -> ChainReading {
        let made = MadeChain(id: id, start: Timestamp(milliseconds: 1_104_537_600_000))
        var facts: [Fact] = []
        for period in stride(from: 0, to: 2 * lapseCount, by: 2) {
            let bought = made.notification(
                .subscribed, period == 0 ? .initialBuy : .resubscribe, period,
                at: made.start(period).advanced(byMilliseconds: 5_000))
            for delivery in [bought, made.expired(period)] {
                guard
                    case .notification(let notification, let transaction, let renewal) =
                        delivery.evidence
                else { continue }
                let position = Int64(facts.count + 1)
                facts.append(
                    Fact(
                        notification: notification, transaction: transaction, renewal: renewal,
                        origin: FactOrigin(
                            position: position, receivedAt: delivery.receivedAt, trust: .signed,
                            digest: Digest(words: (UInt64(position), 0, 0, 0)))))
            }
        }
        let chain = ChainId(
            bundleId: BundleId(MadeChain.app), originalTransactionId: OriginalTransactionId(id))
        return try #require(
            ChainReading(
                chain: chain, facts: facts, moment: other.moment, environment: .production,
                catalogue: Catalogue(), stamp: other.stamp))
    }
}
