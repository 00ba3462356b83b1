import AppStore
import Testing

@testable import Console

@Suite("The list of events")
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
}
