import Testing

@testable import AppStore

@Suite("Reports of App Store Connect")
struct SalesReportReaderTests {
    private static let events =
        "Event Date\tEvent\tSubscription Name\tSubscription Apple ID\tCountry\tQuantity\n"
    private static let subscribers =
        "Event Date\tSubscription Name\tSubscription Apple ID\tCountry\tSubscriber ID\tRefund"
        + "\tCustomer Price\tCustomer Currency\tUnits\n"
    private static let states =
        "Subscription Name\tSubscription Apple ID\tCountry\tActive Standard Price Subscriptions"
        + "\tActive Free Trial Introductory Offer Subscriptions"
        + "\tPay Up Front Offer Code Subscriptions\tMarketing Opt-Ins\tBilling Retry"
        + "\tGrace Period\n"
    private static let day = CivilDate(year: 2026, month: 1, day: 31)

    private struct Reading {
        var reader: SalesReportReader
        private(set) var rows: [SalesReport.Row] = []
        /// Of malformed rows.
        private(set) var unread: [SalesReport.Row] = []

        init(_ reader: SalesReportReader, _ rows: [SalesReport.Row]) {
            self.reader = reader
            (self.rows, unread) = (rows.filter { !$0.isMalformed }, rows.filter(\.isMalformed))
        }

        /// `name figure day country amount` of each row.
        var lines: [String] { Reading.lines(rows) }

        static func lines(_ rows: [SalesReport.Row]) -> [String] {
            rows.map { row in
                "\(row.name) \(row.figure.rawValue) \(row.day.month)/\(row.day.day)"
                    + " \(row.country) \(row.amount)"
            }
        }
    }

    private func read(
        _ bytes: [UInt8], day: CivilDate? = nil, pieces size: Int = 5
    ) throws -> Reading {
        var reader = SalesReportReader(day: day)
        var rows: [SalesReport.Row] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            try reader.read(Array(rest.prefix(size))) { rows.append($0) }
            rest = rest.dropFirst(size)
        }
        try reader.finish { rows.append($0) }
        return Reading(reader, rows)
    }

    private func read(_ text: String, day: CivilDate? = nil) throws -> Reading {
        try read(Array(text.utf8), day: day)
    }

    // MARK: Refused

    @Test("what is none of the three reports is refused with a code")
    func refused() throws {
        func error(_ text: String) -> SalesReportError? {
            do {
                _ = try read(text)
                return nil
            } catch { return error as? SalesReportError }
        }
        #expect(error("") == .empty)
        #expect(error("\n\r\n") == .empty)
        #expect(error("Provider\tSKU\tUnits\n") == .unknownReport)
        #expect(error("Event,Quantity\n") == .unknownReport)
        let columns = SalesReportReaderTests.events.dropLast()
        #expect(error("\(columns)\tQuantity\n") == .unknownReport)
        #expect(error("\(columns)\t\t\n") == nil)
        let bound = "\(SalesReport.columnCount) columns, each once"
        #expect(SalesReportError.unknownReport.message.contains(bound))
        let lines = SalesReportReaderTests.events + "2026-01-31\tRenew\tpro\t1\tUS\t2\n"
        let returns = lines.split(separator: "\n").joined(separator: "\r")
        #expect(error(lines) == nil && error(returns) == .unknownReport)
        #expect(error(SalesReportReaderTests.states) == .dayUnknown)
        #expect(
            error("Event\tSubscription Name\tCountry\tEvent Date\tSubscription Apple ID\n")
                == .missingColumn("Quantity", .subscriptionEvent))
        let codes = [
            SalesReportError.empty, .unknownReport, .dayUnknown, .tooLarge, .damagedGzip,
            .missingColumn("", .subscriber),
        ].map(\.code)
        #expect(
            codes == [
                "emptyReport", "unknownReport", "reportDayUnknown", "reportTooLarge",
                "damagedGzip", "missingColumn",
            ])
    }

    @Test("a malformed row has its line and code, and the others are read")
    func malformed() throws {
        let bytes =
            Array(
                (SalesReportReaderTests.events + "2026-01-31\tRenew\tpro\t1\tUS\t2\n"
                    + "2026-01-31\tRenew\tpro\t1\tUS\n" + "2026-02-30\tRenew\tpro\t1\tUS\t1\n"
                    + "2026-01-31\tRenew\tpro\t1\tUS\tmany\n\n").utf8)
            + Array("2026-01-31\tRenew\t".utf8) + [0xFF] + Array("\t1\tUS\t1\n".utf8)
            + Array("01/31/2026\tRenew\tpro\t1\tUSA\t3".utf8)
        let found = try read(bytes)
        #expect(found.lines == ["pro renewals 1/31 USA 2", "pro renewals 1/31 USA 3"])
        #expect(found.reader.malformed.map(\.line) == [3, 4, 5, 7])
        #expect(
            found.reader.malformed.map(\.code)
                == [.columnCount, .invalidDate, .invalidNumber, .notUTF8])
        #expect(found.reader.rowCount == 6)
        #expect(Reading.lines(found.unread) == ["pro renewals 1/31 USA 0"])
    }

    @Test("a malformed row of subscriptions or subscribers leaves every figure unknown")
    func unread() throws {
        let states = try read(
            SalesReportReaderTests.states + "pro\t1\tUS\t5\tabc\t1\t \t0\t3\n",
            day: SalesReportReaderTests.day)
        let figures: [SalesReport.Figure] = [
            .activePaid, .trials, .activePaid, .billingRetry, .grace,
        ]
        #expect(states.unread.map(\.figure) == figures && states.rows.isEmpty)
        let subscribers = try read(
            SalesReportReaderTests.subscribers + "2026-01-31\tpro\t1\tUS\t77\t \t-\tUSD\t1\n")
        #expect(
            subscribers.unread.map(\.figure) == [.purchases, .freePeriods, .refunds])
        let other = try read(SalesReportReaderTests.events + "2026-01-31\tUpgrade\tpro\t1\tUS\t\n")
        #expect(other.unread.isEmpty && other.reader.malformedCount == 1)
    }

    @Test("lines, columns and listed rows have bounds")
    func bounds() throws {
        let row = "2026-01-31\tRenew\tpro\t1\tUS\t1\t"
        func line(_ count: Int) -> String {
            row + String(repeating: "x", count: count - row.utf8.count) + "\r\n"
        }
        let bound = SalesReport.lineByteCount
        let header = String(SalesReportReaderTests.events.dropLast()) + "\tOther\n"
        let bytes = Array((header + line(bound) + line(bound + 1)).utf8)
        let found = try read(bytes, pieces: 4_096)
        #expect(found.rows.count == 1)
        #expect(found.reader.malformed.map(\.code) == [.lineTooLong])

        let columns = String(SalesReportReaderTests.events.dropLast())
        func wide(_ count: Int) -> String {
            columns + (6..<count).map { "\tx\($0)" }.joined()
        }
        #expect(throws: Never.self) { try read(wide(SalesReport.columnCount)) }
        #expect(throws: SalesReportError.unknownReport) {
            try read(wide(SalesReport.columnCount + 1))
        }

        let listed = SalesReport.listedRowCount
        let many = try read(
            SalesReportReaderTests.events + String(repeating: "x\n", count: listed + 1))
        #expect(many.reader.malformed.count == listed)
        #expect(many.reader.malformedCount == listed + 1)

        let names = SalesReport.eventNameCount
        let other = (0...names).map { "2026-01-31\tE\($0)\tpro\t1\tUS\t1\n" }.joined()
        let named = try read(SalesReportReaderTests.events + other)
        #expect(named.reader.otherEvents.count == names)
    }

    @Test("names and quantities have bounds")
    func values() throws {
        let (bytes, largest) = (SalesReport.textByteCount, SalesReport.largestCount)
        func codes(_ name: Int, _ count: Int, event: String = "Renew") throws -> [String] {
            let name = String(repeating: "n", count: name)
            let row = "2026-01-31\t\(event)\t\(name)\t1\tUS\t\(count)\n"
            let found = try read(SalesReportReaderTests.events + row)
            return found.reader.malformed.map(\.code.rawValue)
        }
        #expect(try codes(bytes, largest) == [])
        #expect(try codes(bytes, 0) == [])
        #expect(try codes(bytes, -1) == ["invalidNumber"])
        #expect(try codes(bytes + 1, 1) == ["textTooLong"])
        #expect(try codes(1, largest + 1) == ["invalidNumber"])
        #expect(try codes(1, .min) == ["invalidNumber"])
        let event = String(repeating: "e", count: bytes)
        #expect(try codes(1, 1, event: event) == [])
        #expect(try codes(1, 1, event: event + "e") == ["textTooLong"])
    }

    @Test("proceeds are of all units, and negative for refunds; not every report has them")
    func proceeds() throws {
        let header =
            String(SalesReportReaderTests.subscribers.dropLast())
            + "\tDeveloper Proceeds\tProceeds Currency\n"
        let rows = [
            " \t9.99\tUSD\t2\t6.99\tUSD", "Yes\t-9.99\tUSD\t-1\t-6.99\tUSD",
            " \t9.99\tUSD\t1\t \t ", " \t9.99\tUSD\t1\t \tUSD", " \t9.99\tUSD\t1\t6.9999\tUSD",
            " \t9.99\tUSD\t1000000000\t9999999999.999\tUSD",
        ].map { "2026-01-31\tpro\t1\tUS\t77\t\($0)\n" }
        let found = try read(header + rows.joined())
        #expect(found.rows.map(\.proceeds) == [13_980, -6_990, nil, nil])
        #expect(found.rows.map(\.proceedsCurrency) == ["USD", "USD", nil, nil])
        #expect(found.reader.malformed.map(\.code) == [.invalidNumber, .invalidNumber])
    }

    @Test("a byte order mark, carriage returns and columns in another order are read")
    func otherForms() throws {
        let found = try read(
            "\u{FEFF}Country\tQuantity\tEvent\tSubscription Apple ID\tEvent Date"
                + "\tSubscription Name\r\nDE\t2\tRenew\t1\t2026-01-31\tpro\r\n")
        #expect(found.lines == ["pro renewals 1/31 DEU 2"])
        #expect(found.reader.malformedCount == 0)
    }

    @Test("a report has at most its bytes")
    func size() throws {
        let bytes = Array(SalesReportReaderTests.events.utf8)
        var reader = SalesReportReader()
        reader.limit = bytes.count
        try reader.read(bytes) { _ in }
        #expect(throws: SalesReportError.tooLarge) { try reader.read([0x0A]) { _ in } }
    }

    // MARK: Read

    @Test("events by figure; those that are not compared are summed by name")
    func events() throws {
        let names = [
            "Subscribe", "Start Introductory Offer", "Paid Subscription from Introductory Offer",
            "Renew", "Renewal from Billing Retry", "Reactivate", "Cancel",
            "Canceled from Billing Retry", "Refund", "Upgrade", "Upgrade",
            "Introductory Offer from Introductory Offer", "Upgrade from Introductory Offer",
            "Crossgrade From Introductory Offer", "Downgrade From Introductory Offer",
            "Reactivation to Offer Code with Downgrade",
        ]
        let rows = names.map { "2026-01-31\t\($0)\tpro\t1\tDE\t2\n" }.joined()
        let found = try read(SalesReportReaderTests.events + rows)
        #expect(
            found.rows.map(\.figure) == [
                .starts, .starts, .trialConversions, .renewals, .renewals, .reactivations,
                .cancellations, .cancellations, .refunds, .renewals, .renewals, .renewals,
                .trialConversions, .trialConversions, .trialConversions, .reactivations,
            ])
        #expect(found.rows.allSatisfy { $0.country == "DEU" })
        // Rows of other events state only that the report has their day and product.
        #expect(found.rows.filter { $0.amount == 0 }.count == 3)
        #expect(found.rows.allSatisfy { $0.amount == 0 || $0.amount == 2 })
        #expect(
            found.reader.otherEvents.map(\.name) == [
                "Introductory Offer from Introductory Offer", "Upgrade",
            ])
        #expect(found.reader.otherEvents.map(\.quantity) == [2, 4])
    }

    @Test("subscriptions by state, on the day that is given")
    func states() throws {
        let found = try read(
            SalesReportReaderTests.states + "pro\t1\tUS\t5\t2\t1\t \t0\t3\n",
            day: SalesReportReaderTests.day)
        #expect(
            found.lines == [
                "pro activePaid 1/31 USA 5", "pro trials 1/31 USA 2",
                "pro activePaid 1/31 USA 1", "pro billingRetry 1/31 USA 0",
                "pro grace 1/31 USA 3",
            ])
    }

    @Test("a blank number is not 0, and none of events and subscriptions is below 0")
    func blanks() throws {
        func codes(_ header: String, _ row: String) throws -> [String] {
            let found = try read(header + row + "\n", day: SalesReportReaderTests.day)
            #expect(found.rows.isEmpty != found.reader.malformed.isEmpty)
            return found.reader.malformed.map(\.code.rawValue)
        }
        let bad = ["invalidNumber"]
        let texts: [(String, [String])] = [("0", []), ("", bad), (" ", bad), ("-1", bad)]
        for (text, expected) in texts {
            let event = try codes(
                SalesReportReaderTests.events, "2026-01-31\tRefund\tpro\t1\tUS\t\(text)")
            #expect(event == expected)
            for place in 0..<6 where place != 3 {
                var counts = ["1", "1", "1", "1", "1", "1"]
                counts[place] = text
                let row = "pro\t1\tUS\t" + counts.joined(separator: "\t")
                #expect(try codes(SalesReportReaderTests.states, row) == expected)
            }
        }
        let purchase = "2026-01-31\tpro\t1\tUS\t77\t "
        let purchases: [(String, String, [String])] = [
            ("0.00", "1", []), ("9.99", "-1", []), (".5", "1", []), (" ", "1", bad),
            ("-", "1", bad), (".", "1", bad), ("9.99", " ", bad), ("9.99", "", bad),
        ]
        for (price, units, expected) in purchases {
            let row = "\(purchase)\t\(price)\tUSD\t\(units)"
            #expect(try codes(SalesReportReaderTests.subscribers, row) == expected)
        }
    }

    @Test("columns are those of Apple in any capitals")
    func capitals() throws {
        let names = [
            "Active Pay as You Go Introductory Offer Subscriptions",
            "Pay As You Go Offer Code Subscriptions", "Active free trial Offer Code Subscriptions",
            "Grace period",
        ]
        let header =
            String(SalesReportReaderTests.states.dropLast()) + "\t" + names.joined(separator: "\t")
        let row = "pro\t1\tUS\t0\t0\t0\t0\t0\t0\t4\t3\t2\t1"
        let found = try read("\(header)\n\(row)\n", day: SalesReportReaderTests.day)
        #expect(
            found.lines.suffix(4) == [
                "pro activePaid 1/31 USA 4", "pro activePaid 1/31 USA 3", "pro trials 1/31 USA 2",
                "pro grace 1/31 USA 1",
            ])
    }

    @Test("purchases, free periods and refunds of subscribers, with their prices")
    func subscribers() throws {
        let found = try read(
            SalesReportReaderTests.subscribers
                + "2026-01-31\tpro\t1\tUS\t77\t \t9.99\tUSD\t1\n"
                + "2026-01-31\tpro\t1\tJP\t78\t \t1200\tJPY\t1\n"
                + "2026-01-31\tpro\t1\tUS\t79\t \t0\tUSD\t1\n"
                + "2026-01-31\tpro\t1\tUS\t77\tYes\t-9.9900\tUSD\t-1\n"
                + "2026-01-31\tpro\t1\tUS\t77\t \t9.9999\tUSD\t1\n")
        #expect(
            found.lines == [
                "pro purchases 1/31 USA 1", "pro purchases 1/31 JPN 1",
                "pro freePeriods 1/31 USA 1", "pro refunds 1/31 USA 1",
            ])
        #expect(found.rows.map(\.price) == [9_990, 1_200_000, 0, 9_990])
        #expect(found.reader.malformed.map(\.code) == [.invalidNumber])
    }
}
