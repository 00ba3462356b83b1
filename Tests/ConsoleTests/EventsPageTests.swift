import AppStore
import Ledger
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
        // Of an app, on the page about intake.
        #expect(IntakePage.noEvent(head: 0) == "none yet")
        #expect(IntakePage.noEvent(head: 20_000) == "none yet")
        #expect(IntakePage.noEvent(head: 20_001) == "none among the newest 20,000")
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

@Suite("Where an event comes from, on its page")
struct EventOriginTests {
    private static let signed = Timestamp(milliseconds: 1_774_000_000_000)

    private func page(
        _ kind: EventKind, _ source: EventSource, _ trust: Trust, isClaimed: Bool = false,
        of chains: [ChainId] = []
    ) throws -> EventPage {
        let event = NewEvent(
            key: EventKey.make(kind, ["1"]),
            attributes: EventAttributes(
                kind: kind, source: source, trust: trust, bundleId: BundleId("com.example"),
                signedAt: EventOriginTests.signed),
            receivedAt: EventOriginTests.signed.advanced(byMilliseconds: 5_000),
            receivedAtClaimed: isClaimed,
            evidence: try Sample.packer.pack(.verbatim(Array("{}".utf8))))
        let row = event.row(at: 1, key: event.key, identity: nil, receivedAt: event.receivedAt)
        let proof = InclusionProof(
            leafHash: row.leafHash, leafIndex: 0, treeSize: 1, path: [], root: row.leafHash)
        let detail = EventDetail(
            LoggedEvent(event: row, evidence: event.evidence.packed), in: .production,
            proof: proof, head: 1)
        return EventPage(
            Frame.bare(["events", "1"], now: event.receivedAt), detail,
            decided: chains.map { ($0, []) }, roots: [])
    }

    @Test("What Apple did not sign is dated, and the page says who vouches for it")
    func vouching() throws {
        let cases: [(EventKind, EventSource, Trust, label: String, words: [String])] = [
            (.notification, .webhook, .signed, "Signed", ["Apple's signature"]),
            (.notificationV1, .webhook, .secret, "Dated", ["shared secret alone"]),
            (
                .verifyReceipt, .history, .transport, "Dated",
                ["an unsigned response from Apple", "received it from Apple over TLS"]
            ),
            (
                .verifyReceipt, .import, .transport, "Dated",
                ["the operator who imported it", "an operator imported it, and vouches for it"]
            ),
            (
                .sweep, .history, .transport, "Dated",
                ["this service's record", "it is a record of this service"]
            ),
        ]
        for (kind, source, trust, label, words) in cases {
            let html = try page(kind, source, trust).page.html
            let escaped = words.map { word -> String in
                let html: HTML = "\(word)"
                return html.text
            }
            for part in escaped + ["<dt>\(label)</dt>"] {
                #expect(html.contains(part), "\(kind) \(source): \(part)")
            }
            let isOverTLS = html.contains("from Apple over TLS")
            #expect(isOverTLS == (kind == .verifyReceipt && source == .history), "\(kind)")
        }
    }

    @Test("An arrival that an import states is marked; one that it does not state is unknown")
    func arrival() throws {
        let cases: [(EventSource, isClaimed: Bool, before: String, after: String)] = [
            (.webhook, false, "", " (+5 s)"),
            (.import, true, "", " (+5 s), as the import states"),
            (.import, false, "unknown; an import read it at ", ""),
        ]
        for (source, isClaimed, before, after) in cases {
            let page = try page(.notification, source, .signed, isClaimed: isClaimed)
            let time = page.frame.time(EventOriginTests.signed.advanced(byMilliseconds: 5_000))
            let row: HTML = "<dt>Received</dt><dd>\(before)\(time)\(after)</dd>"
            #expect(page.page.html.contains(row.text), "\(row.text)")
        }
    }

    @Test("As many subscriptions of an event as the page names are listed; more are counted out")
    func subscriptions() throws {
        for (count, isMore) in [(1, false), (2, false), (EventPage.decidedCount + 1, true)] {
            let chains = (1...count).map { number in
                ChainId(
                    bundleId: BundleId("com.example"),
                    originalTransactionId: OriginalTransactionId("\(500_000_000_000_000 + number)"))
            }
            let html = try page(.receipt, .client, .signed, of: chains).page.html
            #expect(html.contains(count > 1 ? "<dt>Subscriptions</dt>" : "<dt>Subscription</dt>"))
            #expect(html.components(of: "<bdi>50") == min(count, EventPage.decidedCount))
            #expect(html.contains(" and more") == isMore, "\(count)")
        }
    }
}
