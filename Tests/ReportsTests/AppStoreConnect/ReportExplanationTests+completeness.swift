import Foundation
import Ledger
import LedgerStore
import LedgerTestSupport
import TestSupport
import Testing

@testable import AppStore
@testable import Projection
@testable import Reports

/// Days of reports and the window in which everything Apple sent is stored.
extension ReportExplanationTests {
    /// All days of the tests.
    static let whole = ("2025-12-01T00:00:00.000Z", "2026-06-01T00:00:00.000Z")

    /// A finished sweep of what Apple signed in a window.
    func sweep(_ window: (String, String), _ ledger: TemporaryLedger) async throws {
        let sweep = Sweep(
            bundleId: BundleId(MadeChain.app), from: try #require(Timestamp(rfc3339: window.0)),
            through: try #require(Timestamp(rfc3339: window.1)), requestedAt: ledger.now,
            startPosition: 1, fetchedCount: 1)
        try await ledger.ledger { (opened: EnvironmentLedger) async throws in
            let event = NewEvent(
                key: EventKey.make(.sweep, ["one"]),
                attributes: EventAttributes(
                    kind: .sweep, source: .history, trust: .transport, bundleId: sweep.bundleId,
                    chain: nil),
                receivedAt: ledger.now, receivedAtClaimed: false,
                evidence: try opened.log.packer.pack(.verbatim(sweep.evidence)))
            _ = try await opened.log.append([event])
        }
    }

    @Test("A day that is not wholly in the complete window is incomplete, and why")
    func incomplete() async throws {
        // The day in Pacific Time, and the day before for renewals that are signed early.
        let (from, through) = ("2026-01-09T08:00:00.000Z", "2026-01-11T08:00:00.000Z")
        let windows: [((String, String)?, Explanation.Gap?)] = [
            (nil, .notSwept), ((from, through), nil),
            (("2026-01-09T08:00:00.001Z", through), .beforeCompleteFrom),
            ((from, "2026-01-11T07:59:59.999Z"), .afterCompleteThrough),
        ]
        for (window, gap) in windows {
            let ledger = try await ledger([chain(1).bought()], complete: window)
            for (stated, rest) in [(3, "2 (0)"), (0, "-1 (1)")] {
                let table = try self.table([events("2026-01-10\tSubscribe\t\(stated)")])
                let found = try await explain(ledger, table)
                let cause = gap == nil ? "unexplained" : "incomplete"
                #expect(found.lines == ["starts 2026-01-10 \(stated) 1: \(cause) \(rest)"])
                #expect(found.answer.cells[0].explanations.map(\.gap) == [gap])
                #expect(!found.answer.isExplained)
            }
            let equal = try await explain(
                ledger, try table([events("2026-01-10\tSubscribe\t1")]))
            #expect(equal.lines == ["starts 2026-01-10 1 1:"] && equal.answer.isExplained)
        }
    }

    @Test("Only what no other cause explains is incomplete")
    func incompleteLast() async throws {
        let late = try chain(2, "2026-01-11T05:00:00.000Z")
        let table = try self.table([events("2026-01-10\tSubscribe\t4")])
        let found = try await explain(
            [chain(1).bought(), late.bought(), chain(3).renewed(1)], table, complete: nil)
        #expect(
            found.lines == [
                "starts 2026-01-10 4 1: day 1 (1) missingHistory 1 (1) incomplete 1 (0)"
            ])
    }

    @Test("The page has every cause and every reason")
    func page() throws {
        let file = Fixtures.repository.appending(
            path: "Sources/Reports/Reports.docc/AppStoreConnect.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let names =
            Explanation.Cause.allCases.map(\.rawValue) + Explanation.Gap.allCases.map(\.rawValue)
        for name in names { #expect(text.contains("| `\(name)` |"), "\(name)") }
    }

    @Test("Chains without history add no cells where Apple counts nothing")
    func manyAdopted() async throws {
        var table = SalesReportTable()
        let days = 365
        let day = CivilDate(year: 2025, month: 1, day: 1)
        for number in 0..<days {
            table.add(
                SalesReport.Row(
                    kind: .subscriptionEvent, figure: .starts,
                    day: CivilDate(daysSinceEpoch: day.daysSinceEpoch + Int64(number)),
                    appleId: "1", name: MadeChain.product, country: "USA",
                    amount: number == 9 ? 1 : 0))
        }
        table.endReport()
        let figures = SalesReport.Figure.all(of: .subscriptionEvent).count
        let count = SalesReportTable.cellCount / (days * figures) + 1
        var deliveries: [MadeDelivery] = []
        for number in 100..<100 + count {
            var made = try chain(number)
            if number > 100 { made.storefront = "\(number)" }
            deliveries.append(made.renewed(1))
        }
        let found = try await explain(deliveries, table)
        #expect(found.lines == ["starts 2025-01-10 1 0: missingHistory 1 (1)"])
    }

    @Test("The cell of a malformed row is left out until a later report replaces it")
    func malformedRow() async throws {
        let report = events(
            "2026-01-10\tSubscribe\t1", "2026-01-10\tSubscribe\tabc", "2026-01-10\tRenew\t2")
        let deliveries = [try chain(1).bought(), try chain(2).bought()]
        // The row may count this one, too.
        let nowhere = try chain(3).bought().withTransaction { $0.storefront = nil }
        let unread = try table([report], malformed: 1)
        let found = try await explain(deliveries + [nowhere], unread)
        #expect(found.lines == ["renewals 2026-01-10 2 0: unexplained 2 (0)"])
        let sound = events("2026-01-10\tSubscribe\t2")
        let ledger = try await ledger(deliveries)
        let later = try await explain(ledger, try table([report, sound], malformed: 1))
        #expect(later.lines == ["starts 2026-01-10 2 2:", "renewals 2026-01-10 0 0:"])
        let earlier: [Int64?] = [nil, 2]
        #expect(later.answer.cells.map(\.earlier) == earlier)
        let other = try await explain(ledger, try table([sound, report], malformed: 1))
        #expect(other.lines == found.lines)
        // A day whose only row is malformed is replaced, too.
        var abroad = events("2026-01-10\tSubscribe\tabc")
        abroad.rows[0] = abroad.rows[0].replacing("US", with: "FR")
        let replaced = try await explain(ledger, try table([sound, abroad], malformed: 1))
        #expect(replaced.lines == ["starts 2026-01-10 0 2: unexplained -2 (2)"])
        #expect(replaced.answer.cells.map(\.earlier) == [2])
        // Of another country's sound row, the chain without one explains the difference.
        var both = events("2026-01-10\tSubscribe\tabc", "2026-01-10\tSubscribe\t1")
        both.rows[1] = both.rows[1].replacing("US", with: "FR")
        let placed = try await explain([nowhere], try table([both], malformed: 1))
        #expect(placed.lines == ["starts 2026-01-10 1 0: unknownCountry 1 (1)"])
    }
}
