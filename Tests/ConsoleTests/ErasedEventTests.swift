import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Queries
import Testing

@testable import Console

@Suite("The events that an erasure names")
struct ErasedEventTests {
    private static let now = Timestamp(milliseconds: 1_774_000_000_000)

    /// The page of an erasure of the first `count` events.
    private func page(_ count: Int) throws -> EventPage {
        let erasure = Erasure(
            id: "e", actor: "dpo", reason: "asked", positions: (1...count).map { Int64($0) },
            chains: [], facts: [])
        let event = try NewEvent(
            erasure, receivedAt: ErasedEventTests.now, packer: Sample.packer)
        let position = Int64(count) + 1
        let row = event.row(
            at: position, key: event.key, identity: nil, receivedAt: event.receivedAt)
        let detail = EventDetail(
            LoggedEvent(event: row, evidence: event.evidence.packed), in: .production, proof: nil,
            head: position)
        let frame = Frame.bare(["events", String(position)], now: ErasedEventTests.now)
        return EventPage(frame, detail, decided: [], roots: [])
    }

    /// What that page says of the erasure.
    private func text(_ count: Int) throws -> String { try page(count).erasure.text }

    @Test("The page of an event of no app has no field for one")
    func noApp() throws {
        let page = try page(1).page.html
        #expect(page.contains("<dt>Kind</dt>") && !page.contains("<dt>App</dt>"))
    }

    @Test("As many as a page links are links; one more is counted")
    func links() throws {
        let bound = EventPage.erasedLinkCount
        let whole = try text(bound)
        #expect(whole.contains("the evidence of \(bound) events"))
        #expect(whole.ranges(of: "<a ").count == bound && !whole.contains(" more"))
        let cut = try text(bound + 1)
        #expect(cut.contains("the evidence of \(bound + 1) events"))
        #expect(cut.ranges(of: "<a ").count == bound && cut.contains(" and 1 more"))
        #expect(cut.contains("#\(bound)<") && !cut.contains("#\(bound + 1)<"))
    }

    @Test("So are the events that one place lists, such as the plan of an erasure")
    func plan() {
        let frame = Frame.bare(["help"], now: ErasedEventTests.now)
        let bound = Frame.shownEventCount
        let positions = (1...bound + 1).map { Int64($0) }
        let whole = frame.events(Array(positions.dropLast())).text
        #expect(whole.ranges(of: "<a ").count == bound && !whole.contains("more"))
        let cut = frame.events(positions).text
        #expect(cut.ranges(of: "<a ").count == bound && cut.hasSuffix(" and 1 more"))
        // So are those that are counted without their positions.
        #expect(frame.events(positions, omitted: 4_900).text.hasSuffix(" and 4901 more"))
        #expect(frame.events([1], omitted: 2).text.hasSuffix("</a> and 2 more"))
    }
}
