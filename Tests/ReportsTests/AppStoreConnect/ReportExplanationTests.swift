import Ledger
import LedgerTestSupport
import Queries
import Simulator
import Testing

@testable import AppStore
@testable import Projection
@testable import Reports

@Suite("Reports of App Store Connect beside the ledger")
struct ReportExplanationTests {
    private static let product = MadeChain.product

    /// A chain that begins at a UTC time.
    func chain(_ number: Int, _ start: String = "2026-01-10T12:00:00.000Z") throws
        -> MadeChain
    {
        MadeChain(
            id: "70000000000000\(number)", start: try #require(Timestamp(rfc3339: start)))
    }

    /// A report's rows, each the day, figure of the event or state, and amounts.
    func table(
        _ reports: [(header: String, rows: [String], day: CivilDate?)], malformed: Int = 0
    ) throws -> SalesReportTable {
        var table = SalesReportTable(products: ["pro": ProductId(MadeChain.product)])
        var malformedCount = 0
        for report in reports {
            var reader = SalesReportReader(day: report.day)
            let text = ([report.header] + report.rows).joined(separator: "\n")
            try reader.read(Array(text.utf8)) { table.add($0) }
            try reader.finish { table.add($0) }
            malformedCount += reader.malformedCount
            table.endReport()
        }
        #expect(malformedCount == malformed)
        return table
    }

    func events(_ rows: String...) -> (header: String, rows: [String], day: CivilDate?) {
        (
            "Event Date\tEvent\tQuantity\tSubscription Name\tSubscription Apple ID\tCountry",
            rows.map { $0 + "\tpro\t1\tUS" }, nil
        )
    }

    private func states(
        _ day: CivilDate, paid: Int, trials: Int
    ) -> (header: String, rows: [String], day: CivilDate?) {
        (
            "Subscription Name\tSubscription Apple ID\tCountry"
                + "\tActive Standard Price Subscriptions"
                + "\tActive Free Trial Introductory Offer Subscriptions",
            ["pro\t1\tUS\t\(paid)\t\(trials)"], day
        )
    }

    private func subscribers(
        _ rows: String..., proceeds: String? = nil
    ) -> (header: String, rows: [String], day: CivilDate?) {
        (
            "Event Date\tCustomer Price\tRefund\tUnits\tCustomer Currency\tSubscriber ID"
                + "\tSubscription Name\tSubscription Apple ID\tCountry"
                + (proceeds == nil ? "" : "\tDeveloper Proceeds\tProceeds Currency"),
            rows.map {
                $0 + "\t1\tUSD\t77\tpro\t1\tUS" + (proceeds.map { "\t\($0)\tUSD" } ?? "")
            }, nil
        )
    }

    func ledger(
        _ deliveries: [MadeDelivery],
        complete window: (String, String)? = ReportExplanationTests.whole
    ) async throws -> TemporaryLedger {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(deliveries)
        if let window { try await sweep(window, ledger) }
        return ledger
    }

    /// Of a ledger that has these alone.
    func explain(
        _ deliveries: [MadeDelivery], _ table: SalesReportTable,
        now: String = "2026-06-01T00:00:00.000Z",
        complete window: (String, String)? = ReportExplanationTests.whole
    ) async throws -> (lines: [String], answer: ReportExplanation) {
        try await explain(try await ledger(deliveries, complete: window), table, now: now)
    }

    /// `figure day apple ours: cause amount (chains) …` of every cell.
    func explain(
        _ ledger: TemporaryLedger, _ table: SalesReportTable,
        now: String = "2026-06-01T00:00:00.000Z"
    ) async throws -> (lines: [String], answer: ReportExplanation) {
        let now = try #require(Timestamp(rfc3339: now))
        let answer = try await ledger.metrics(now: now) { try await $0.explain(table) }
        let lines = answer.cells.map { found in
            let causes = found.explanations.map { part in
                " \(part.cause.rawValue) \(part.amount) (\(part.chainCount))"
            }
            return "\(found.cell.figure.rawValue) \(found.cell.day.text) \(found.apple)"
                + " \(found.ours):" + causes.joined()
        }
        for found in answer.cells {
            #expect(found.explanations.reduce(0) { $0 + $1.amount } == found.difference)
        }
        return (lines, answer)
    }

    // MARK: Refused

    @Test("An unknown time zone is refused; a ledger without a chain explains nothing, not even 0")
    func refused() async throws {
        let ledger = try TemporaryLedger()
        let day = CivilDate(year: 2026, month: 1, day: 12)
        let zeros = try table([states(day, paid: 0, trials: 0)])
        try await ledger.metrics { query in
            await #expect(throws: MetricsError.unknownTimeZone("PST")) {
                try await query.explain(zeros, timeZone: "PST")
            }
            let answer = try await query.explain(zeros)
            #expect(answer.cells.isEmpty && !answer.isExplained)
        }
    }

    @Test("What nothing known explains is unexplained")
    func unexplained() async throws {
        let table = try self.table([events("2026-01-10\tSubscribe\t3")])
        let found = try await explain([chain(1).bought()], table)
        #expect(found.lines == ["starts 2026-01-10 3 1: unexplained 2 (0)"])
        #expect(!found.answer.isExplained)
    }

    @Test("A product for which Apple states 0 is compared")
    func zero() async throws {
        let day = CivilDate(year: 2026, month: 1, day: 12)
        let found = try await explain(
            [chain(1).bought()], try table([states(day, paid: 0, trials: 0)]))
        #expect(found.lines == ["activePaid 2026-01-12 0 1: unexplained -1 (1)"])
    }

    @Test("A day and product with other events alone are compared, and replace an earlier report's")
    func otherEvents() async throws {
        let first = events("2026-01-10\tSubscribe\t3")
        let other = events("2026-01-10\tUpgrade\t1")
        let ledger = try await ledger([chain(1).bought()])
        for (reports, earlier) in [([other], nil), ([first, other], 3)] as [(_, Int64?)] {
            let found = try await explain(ledger, try table(reports))
            #expect(found.lines == ["starts 2026-01-10 0 1: unexplained -1 (1)"])
            #expect(found.answer.cells.map(\.earlier) == [earlier])
        }
    }

    @Test("A figure without a column is not compared, and keeps what an earlier report states")
    func missingColumn() async throws {
        let day = CivilDate(year: 2026, month: 1, day: 12)
        let paid = (
            header: "Subscription Name\tSubscription Apple ID\tCountry"
                + "\tActive Standard Price Subscriptions",
            rows: ["pro\t1\tUS\t1"], day: CivilDate?.some(day)
        )
        let ledger = try await ledger([chain(1).bought(), chain(2).bought().asTrial])
        let alone = try await explain(ledger, try table([paid]))
        #expect(alone.lines == ["activePaid 2026-01-12 1 1:"])
        let later = try await explain(ledger, try table([states(day, paid: 2, trials: 1), paid]))
        #expect(later.lines == ["activePaid 2026-01-12 1 1:", "trials 2026-01-12 1 1:"])
        #expect(later.answer.cells.map(\.earlier) == [2, nil])
    }

    // MARK: Causes

    @Test("Equal numbers need no explanation")
    func equal() async throws {
        let table = try self.table([events("2026-01-10\tSubscribe\t1", "2026-02-09\tRenew\t1")])
        let found = try await explain([chain(1).bought(), chain(1).renewed(1)], table)
        #expect(found.lines == ["starts 2026-01-10 1 1:", "renewals 2026-02-09 1 1:"])
    }

    @Test("Apple's day is Pacific Time: 05:00 UTC is the evening before, with its chains")
    func day() async throws {
        let table = try self.table([events("2026-01-10\tSubscribe\t2", "2026-01-11\tSubscribe\t0")])
        let late = try chain(2, "2026-01-11T05:00:00.000Z")
        let found = try await explain([chain(1).bought(), late.bought()], table)
        #expect(
            found.lines == [
                "starts 2026-01-10 2 1: day 1 (1)", "starts 2026-01-11 0 1: day -1 (1)",
            ])
        let chains = found.answer.cells[0].explanations[0].chains
        #expect(chains.map(\.originalTransactionId.rawValue) == [late.id])
    }

    @Test("In summer Pacific Time is seven hours behind, in winter eight")
    func summerTime() async throws {
        let winter = try chain(1, "2026-01-11T07:30:00.000Z")
        let summer = try chain(2, "2026-05-11T07:30:00.000Z")
        let table = try self.table([events("2026-01-10\tSubscribe\t1", "2026-05-11\tSubscribe\t1")])
        let found = try await explain([winter.bought(), summer.bought()], table)
        #expect(
            found.lines == [
                "starts 2026-01-10 1 0: day 1 (1)", "starts 2026-05-11 1 1:",
            ])
    }

    @Test("Chains whose known history begins after the day may be in an earlier cell")
    func missingHistory() async throws {
        let table = try self.table([events("2026-01-10\tSubscribe\t2")])
        let found = try await explain([chain(1).renewed(1)], table)
        #expect(
            found.lines == ["starts 2026-01-10 2 0: missingHistory 1 (1) unexplained 1 (0)"])
    }

    @Test("Copies by Family Sharing explain no more than their number")
    func familySharing() async throws {
        let copy = try chain(2).bought().withTransaction {
            $0.inAppOwnershipType = Raw(.familyShared)
        }
        let ledger = try await ledger([chain(1).bought(), copy])
        let two = try await explain(ledger, try table([events("2026-01-10\tSubscribe\t2")]))
        #expect(two.lines == ["starts 2026-01-10 2 1: familySharing 1 (1)"])
        let one = try await explain(ledger, try table([events("2026-01-10\tSubscribe\t1")]))
        #expect(one.lines == ["starts 2026-01-10 1 1:"])
    }

    @Test("The day that summer time begins has 23 hours")
    func shortDay() async throws {
        let last = try chain(1, "2026-03-09T06:59:59.999Z")
        let first = try chain(2, "2026-03-09T07:00:00.000Z")
        let table = try self.table([events("2026-03-08\tSubscribe\t1", "2026-03-09\tSubscribe\t1")])
        let found = try await explain([last.bought(), first.bought()], table)
        #expect(
            found.lines == [
                "starts 2026-03-08 1 0: day 1 (1)", "starts 2026-03-09 1 2: day -1 (1)",
            ])
    }

    @Test("Several causes of one cell share its difference, whatever its sign")
    func overlapping() async throws {
        let copy = try chain(3).bought().withTransaction {
            $0.inAppOwnershipType = Raw(.familyShared)
        }
        let late = try chain(2, "2026-01-11T05:00:00.000Z")
        let ledger = try await ledger([
            chain(1).bought(), late.bought(), copy, chain(4).renewed(1),
        ])
        let more = try await explain(ledger, try table([events("2026-01-10\tSubscribe\t7")]))
        #expect(
            more.lines == [
                "starts 2026-01-10 7 1: day 1 (1) familySharing 1 (1) missingHistory 1 (1)"
                    + " unexplained 3 (0)"
            ])
        let fewer = try await explain(ledger, try table([events("2026-01-10\tSubscribe\t0")]))
        #expect(fewer.lines == ["starts 2026-01-10 0 1: day 1 (1) unexplained -2 (2)"])
    }

    @Test("A renewal after a refund is a reactivation of ours, and none of Apple's")
    func renewalAfterRefund() async throws {
        let made = try chain(1)
        let at = made.start.advanced(byMilliseconds: 10 * 86_400_000)
        let refunded = made.notification(.refund, nil, 0, at: at, status: .revoked)
            .withTransaction { $0.revocationDate = at }
        let renewed = try self.table([events("2026-02-09\tRenew\t1", "2026-02-09\tReactivate\t0")])
        let found = try await explain([made.bought(), refunded, made.renewed(1)], renewed)
        #expect(
            found.lines == [
                "renewals 2026-02-09 1 1:", "reactivations 2026-02-09 0 1: renewalAfterLoss -1 (1)",
            ])
        let bought = made.renewed(1).withTransaction { $0.transactionReason = Raw(.purchase) }
        let again = try self.table([events("2026-02-09\tReactivate\t1")])
        let other = try await explain([made.bought(), refunded, bought], again)
        #expect(other.lines == ["reactivations 2026-02-09 1 1:"])
    }

    @Test("What is missing in paid and too much in trials is the same chains")
    func trials() async throws {
        let day = CivilDate(year: 2026, month: 1, day: 12)
        let table = try self.table([states(day, paid: 0, trials: 2)])
        let found = try await explain([chain(1).bought(), chain(2).bought().asTrial], table)
        #expect(
            found.lines == [
                "activePaid 2026-01-12 0 1: trials -1 (1)", "trials 2026-01-12 2 1: trials 1 (1)",
            ])
    }

    @Test("Chains without a country explain what is missing in countries, and no more")
    func unknownCountry() async throws {
        let nowhere = try chain(1).bought().withTransaction { $0.storefront = nil }
        let ledger = try await ledger([nowhere, chain(2).bought()])
        for (stated, rest) in [(2, ""), (3, " unexplained 1 (0)")] {
            let table = try self.table([events("2026-01-10\tSubscribe\t\(stated)")])
            let found = try await explain(ledger, table)
            #expect(
                found.lines == [
                    "starts 2026-01-10 0 1: unknownCountry -1 (1)",
                    "starts 2026-01-10 \(stated) 1: unknownCountry 1 (1)\(rest)",
                ])
        }
    }

    @Test("A product that no chain had, and a day that has not ended")
    func unknown() async throws {
        let table = try self.table([events("2026-01-10\tSubscribe\t2")])
        let other = MadeChain(id: "700000000000009", product: "com.example.other").bought()
        let found = try await explain([other], table)
        #expect(found.lines == ["starts 2026-01-10 2 0: unknownProduct 2 (0)"])
        let early = try await explain(
            [chain(1).bought()], table, now: "2026-01-10T20:00:00.000Z")
        #expect(early.lines == ["starts 2026-01-10 2 1: afterKnowledge 1 (0)"])
    }

    @Test("A product of one-time purchases alone is not compared")
    func oneTime() async throws {
        let table = try self.table([events("2026-01-10\tRefund\t2")])
        let made = try chain(1)
        let purchase = made.notification(.oneTimeCharge, nil, 0, at: made.start).withTransaction {
            $0.type = Raw(.nonConsumable)
            $0.expiresDate = nil
        }
        let alone = try await explain([purchase], table)
        #expect(alone.lines == ["refunds 2026-01-10 2 0: oneTimeProduct 2 (0)"])
        let both = try await explain([purchase, chain(2).bought()], table)
        #expect(both.lines.last == "refunds 2026-01-10 2 0: unexplained 2 (0)")
    }

    @Test("A later report replaces the days of an earlier one of its kind")
    func restated() async throws {
        let first = events("2026-01-10\tSubscribe\t3", "2026-01-11\tSubscribe\t1")
        let table = try self.table([first, events("2026-01-10\tSubscribe\t1")])
        let found = try await explain([chain(1).bought()], table)
        #expect(
            found.lines == ["starts 2026-01-10 1 1:", "starts 2026-01-11 1 0: unexplained 1 (0)"])
        #expect(found.answer.cells.map(\.earlier) == [3, nil])
    }

    @Test("Purchases of subscribers name the prices that differ, with our chains")
    func prices() async throws {
        let table = try self.table([subscribers("2026-01-10\t9.99\t ", "2026-01-10\t4.99\t ")])
        let found = try await explain([chain(1).bought(), chain(2).bought()], table)
        #expect(found.lines == ["purchases 2026-01-10 2 2:"])
        let prices = found.answer.cells[0].prices
        #expect(prices.map(\.price.milliunits) == [4_990, 9_990])
        #expect(prices.map(\.apple) == [1, 1] && prices.map(\.ours) == [0, 2])
        #expect(prices.map(\.chains.count) == [0, 2])
        let free = try await explain(
            [chain(1).bought().asTrial], try self.table([subscribers("2026-01-10\t0.00\t ")]))
        #expect(free.lines == ["freePeriods 2026-01-10 1 1:"])
        #expect(free.answer.cells[0].prices.isEmpty)
    }

    @Test("Proceeds that a report states stand beside the estimate; without them there are none")
    func proceeds() async throws {
        let row = "2026-01-10\t9.99\t "
        let stated = try self.table([subscribers(row, row, proceeds: "5.88")])
        let found = try await explain([chain(1).bought(), chain(2).bought()], stated)
        let proceeds = found.answer.cells.map(\.proceeds)
        #expect(proceeds.count == 1 && proceeds[0].map(\.currency) == ["USD"])
        // 70 % of 9.99 twice.
        #expect(proceeds[0].map(\.apple) == [11_760] && proceeds[0].map(\.estimate) == [13_986])
        let none = try await explain([chain(1).bought()], try table([subscribers(row)]))
        #expect(none.answer.cells.allSatisfy { $0.proceeds.isEmpty })
    }

    @Test("Explanations list the first chains, up to their bound")
    func listed() async throws {
        let bound = ExplainedCell.listedChainCount
        let held = ComparedCells.Count.heldChainCount
        for count in [bound, bound + 1, held, held + 1] {
            let table = try self.table([events("2026-01-10\tSubscribe\t\(count)")])
            let chains = try (10..<10 + count).map { try chain($0, "2026-01-11T05:00:00.000Z") }
            let found = try await explain(chains.map { $0.bought() }, table)
            let part = try #require(found.answer.cells.first?.explanations.first)
            #expect(part.chainCount == count)
            #expect(
                part.chains.map(\.originalTransactionId.rawValue)
                    == chains.prefix(bound).map(\.id))
        }
    }

    @Test("More cells than the bound are refused")
    func bound() throws {
        var table = SalesReportTable()
        var row = SalesReport.Row(
            kind: .subscriber, figure: .purchases, day: CivilDate(year: 2026, month: 1, day: 1),
            appleId: "1", name: "", country: "USA", amount: 1)
        for number in 0..<SalesReportTable.cellCount {
            row.name = "p\(number)"
            table.add(row)
        }
        #expect(!table.isTooLarge)
        table.add(row)
        #expect(!table.isTooLarge)
        row.name = "more"
        table.add(row)
        #expect(table.isTooLarge)
    }
}
