import AppStore
import LedgerStore
import LedgerTestSupport
import Queries
import Testing

@testable import Console

@Suite("The list of events, and the page of one")
struct EventsPageTests {
    @Test("A page without events says whether older ones were looked at")
    func empty() {
        var frame = Frame.bare(["events"], now: Timestamp(milliseconds: 1_774_000_000_000))
        frame.kept = [("types", "REFUND")]
        func page(next: Int64?) -> String {
            EventsPage(frame, [], next: next, isLive: false).page.html
        }
        let more = page(next: 20_001)
        #expect(more.contains("Nothing among the events down to #20001;"))
        #expect(more.contains("before=20001&amp;types=REFUND") && !more.contains("was found"))
        let none = page(next: nil)
        #expect(none.contains("No event was found.") && !none.contains("Older"))
    }

    @Test("Where the log does not prove an event, its page says so instead of verifying it")
    func unproven() throws {
        let event = try Sample.event("e")
        let row = event.row(at: 1, key: event.key, identity: nil, receivedAt: event.receivedAt)
        let alone = InclusionProof(
            leafHash: row.leafHash, leafIndex: 0, treeSize: 1, path: [], root: row.leafHash)
        let frame = Frame.bare(["events", "1"], now: Timestamp(milliseconds: 1_774_000_000_000))
        for proof in [nil, alone] {
            let detail = EventDetail(
                LoggedEvent(event: row, evidence: event.evidence.packed), in: .production,
                proof: proof, head: 1)
            let page = EventPage(frame, detail, decided: [], roots: []).page.html
            #expect(page.contains("<section id=\"verify\"") == (proof != nil))
            #expect(page.contains("The log does not prove this event") == (proof == nil))
        }
    }
}
