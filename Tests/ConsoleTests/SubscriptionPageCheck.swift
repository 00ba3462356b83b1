import AppStore
import Projection
import TestSupport
import Testing

@testable import Console
@testable import Ledger
@testable import Queries

extension Frame {
    /// The frame of a page that is made without a service.
    static func bare(_ path: [String], now: Timestamp) -> Frame {
        Frame(
            state: ViewState(environment: .production), viewer: .unnamed, served: [.production],
            reportZone: ReportZone("UTC")!, now: now, path: path)
    }
}

/// A subscription's page as a person reads it.
enum SubscriptionPageCheck {
    /// The page says every notice, and its timeline has each gap and each entry once, whatever the
    /// size of its pages.
    static func check(_ reading: ChainReading) throws {
        let id = reading.chain.originalTransactionId.rawValue
        let frame = Frame.bare(["subscriptions", id], now: reading.moment.now)
        let page = SubscriptionPage(frame, reading, before: nil).page.html
        #expect(page.contains("\(reading.answer.state.text)" as HTML))
        #expect(page.contains("\(AccessReason(reading).cause)" as HTML))
        for notice in reading.answer.notices {
            let since: HTML = "since \(frame.time(notice.from))\(frame.timed(notice.subject)): "
            #expect(page.contains(since + frame.timed(notice.message)), "\(notice.code)")
        }
        if let willRenew = reading.answer.commitment?.willRenew {
            let end: HTML = willRenew ? ", then renews</dd>" : ", then ends</dd>"
            #expect(page.contains(end))
        }
        if let next = reading.answer.commitment?.nextProductId {
            #expect(page.contains("<dt>Next product of commitment</dt><dd>\(next)</dd>" as HTML))
        }
        #expect(page.contains("<dd>reducer version \(Lifecycle.reducerVersion)</dd>"))
        #expect(page.contains(reading.stamp.catalogueHash.hexadecimal))
        let gaps = reading.answer.notices.filter { $0.code.isGap }.map { ($0, reading) }
        if (1...StateBand.stretchCount).contains(reading.intervals.count) {
            let band = StateBand(frame: frame, reading: reading).svg.text
            let drawn = min(gaps.count, StateBand.stretchCount)
            #expect(band.components(of: "<rect class=\"gap\"") == drawn)
        }
        for limit in Soak.isOn ? [1, 2, 3] : [1, 3] {
            var (before, seen, shown): (TimelinePlace?, Int, Int) = (nil, 0, 0)
            repeat {
                let slice = reading.page(.newest, after: before, limit: limit)
                    .map { CustomerReading.Entry.chain($0, reading) }
                let table = TimelineRows(frame: frame, isMerged: false).table(slice, gaps: gaps)
                seen += slice.entries.count
                shown += table.text.components(of: "<b>Gap:</b>")
                let texts = table.text.split(separator: "<").compactMap { part in
                    part.split(separator: ">").dropFirst().first
                }
                #expect(!texts.contains { $0.contains(/\dT\d\d:/) }, "a time of no zone")
                before = slice.next
            } while before != nil
            #expect(seen == reading.entries.count && shown == gaps.count)
        }
    }
}

extension String {
    fileprivate func contains(_ html: HTML) -> Bool { contains(html.text) }

    /// How often a text occurs.
    func components(of text: String) -> Int { ranges(of: text).count }
}
