import AppStore
import Ledger
import Testing

@testable import Console
@testable import Queries

@Suite("The page of retention offers")
struct RetentionOffersPageTests {
    private let now = Timestamp(milliseconds: 1_774_000_000_000)

    private func html(_ rows: [RetentionOffers.Row], first: Int = 0) -> String {
        var offers = RetentionOffers(
            environment: .production, from: now.advanced(byMilliseconds: -1), to: now, position: 7)
        offers.rows = rows
        for reason in RetentionOffers.reasons { offers.unanswered[reason] = 41 }
        var frame = Frame.bare(["reports", RetentionOffersPage.name], now: now)
        frame.kept = [("from", "2026-03-20"), ("to", nil)]
        frame.place = [("row", String(first))]
        return RetentionOffersPage(frame, offers).page.html
    }

    private func rows(_ count: Int) -> [RetentionOffers.Row] {
        (0..<count).map { number in
            RetentionOffers.Row(
                rule: "rule-\(number)", message: "m", results: [.kept: 31, .lost: 17, .open: 5])
        }
    }

    @Test("Without answers the page says so, and still counts requests without a message")
    func empty() {
        let page = html([])
        #expect(page.contains("No message was shown in this range."))
        for reason in ["noRule", "unknownChain", "unavailable", "late"] {
            #expect(page.contains("<dt>\(reason)</dt><dd>41</dd>"), "\(reason)")
        }
        #expect(page.contains("value=\"2026-03-20\""))
        #expect(page.contains("position 7"))
    }

    @Test("A row has the rule, the message, the offer and its counts, as text")
    func row() {
        let row = RetentionOffers.Row(
            rule: "<b>yearly", message: "\"m", promotionalOffer: "<i>stay",
            results: [.kept: 31, .lost: 17])
        let page = html([row])
        #expect(page.contains("&lt;b&gt;yearly") && page.contains("&quot;m"))
        #expect(page.contains("Offer\">&lt;i&gt;stay<"))
        #expect(html(rows(1)).contains("Offer\">–<"))
        for cell in ["Shown\" class=\"num\">48<", "Kept\" class=\"num\">31<", ">17<", ">0<"] {
            #expect(page.contains(cell), "\(cell)")
        }
    }

    @Test("A page has rows up to its bound; one more is on the next page, with the same range")
    func bound() {
        let whole = html(rows(Frame.rowCount))
        #expect(whole.contains("rule-\(Frame.rowCount - 1)<") && !whole.contains("More rows"))
        let cut = html(rows(Frame.rowCount + 1))
        #expect(!cut.contains("rule-\(Frame.rowCount)<"))
        #expect(cut.contains("row=\(Frame.rowCount)&amp;from=2026-03-20"))
        let rest = html(rows(Frame.rowCount + 1), first: Frame.rowCount)
        #expect(rest.contains("rule-\(Frame.rowCount)<") && !rest.contains("rule-0<"))
        #expect(html(rows(1), first: .max).contains("No message was shown"))
    }
}
