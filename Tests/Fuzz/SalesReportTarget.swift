import Reports

@testable import AppStore

/// A report of App Store Connect, text or gzip of it: read, or refused with a code. Every number
/// is within its bounds, whatever the pieces in which the bytes arrive.
struct SalesReportTarget: FuzzTarget {
    let name = "salesReports"
    let maximumByteCount = 4 * 1_024
    /// A bound that gzip of the longest input exceeds.
    private static let reportByteCount = 1_048_576
    private static let day = CivilDate(year: 2026, month: 1, day: 31)

    /// What a report has.
    private struct Reading: Equatable {
        var rows: [SalesReport.Row]
        var malformed: [SalesReport.MalformedRow]
        var malformedCount: Int
        var rowCount: Int
        var otherEvents: [String]
    }

    func seeds(_ source: SeedSource) -> [[UInt8]] {
        let texts = [
            SalesReportTarget.states, SalesReportTarget.events, SalesReportTarget.subscribers,
        ].map { Array($0.utf8) }
        return texts + texts.map { SalesReportTarget.gzip($0) } + [SalesReportTarget.zeros]
    }

    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let input = Array(bytes)
        let whole = reading(input, pieces: max(1, input.count))
        require(reading(input, pieces: 7) == whole, "pieces do not change what is read")
        if let whole { check(whole) }
        guard !input.starts(with: [0x1F, 0x8B]) else { return }
        let packed = SalesReportTarget.gzip(input)
        require(reading(packed, pieces: 1_024) == whole, "gzip of a text is the same report")
    }

    /// Nil where the report is refused; the code may depend on the pieces.
    private func reading(_ bytes: [UInt8], pieces size: Int) -> Reading? {
        var reader = SalesReportReader(day: SalesReportTarget.day)
        reader.limit = SalesReportTarget.reportByteCount
        var rows: [SalesReport.Row] = []
        var rest = bytes[...]
        let source: () throws -> [UInt8]? = {
            let piece = rest.prefix(size)
            rest = rest.dropFirst(size)
            return piece.isEmpty ? nil : Array(piece)
        }
        do { try reader.readWhole(source) { rows.append($0) } } catch {
            require(error is SalesReportError, "a refusal has a code")
            return nil
        }
        return Reading(
            rows: rows, malformed: reader.malformed, malformedCount: reader.malformedCount,
            rowCount: reader.rowCount,
            otherEvents: reader.otherEvents.map { "\($0.name) \($0.quantity)" })
    }

    private func check(_ reading: Reading) {
        var table = SalesReportTable()
        for row in reading.rows {
            require(
                row.amount >= 0 && row.amount <= SalesReport.largestCount && row.price ?? 0 >= 0,
                "numbers are bounded")
            for text in [row.appleId, row.name, row.country, row.currency ?? ""] {
                require(text.utf8.count <= SalesReport.textByteCount, "texts are bounded")
            }
            table.add(row)
        }
        table.endReport()
        require(
            reading.malformed.count
                == min(reading.malformedCount, SalesReport.listedRowCount)
                && reading.malformedCount <= reading.rowCount,
            "malformed rows are counted, and the first are listed")
        require(
            reading.otherEvents.count <= SalesReport.eventNameCount, "listed events are bounded")
    }

    // MARK: Seeds

    private static let states =
        "Subscription Name\tSubscription Apple ID\tCountry\tActive Standard Price Subscriptions"
        + "\tActive Free Trial Introductory Offer Subscriptions\tGrace Period\n"
        + "pro\t1\tUS\t5\t2\t0\npro\t1\tDE\t1\t\t1\n"
    private static let events =
        "Event Date\tEvent\tSubscription Name\tSubscription Apple ID\tCountry\tQuantity\r\n"
        + "2026-01-31\tRenew\tpro\t1\tUS\t2\r\n01/31/2026\tUpgrade\tpro\t1\tUS\t1\r\n"
    private static let subscribers =
        "Event Date\tSubscription Name\tSubscription Apple ID\tCountry\tSubscriber ID\tRefund"
        + "\tCustomer Price\tCustomer Currency\tUnits\tDeveloper Proceeds"
        + "\tProceeds Currency\n"
        + "2026-01-31\tpro\t1\tUS\t77\t \t9.99\tUSD\t1\t6.99\tUSD\n"
        + "2026-01-31\tpro\t1\tUS\t77\tYes\t-9.99\tUSD\t-1\t-6.99\tUSD\n"

    /// Gzip of 1,048,577 zeros: one more than a report may have here.
    private static let zeros: [UInt8] = {
        var bytes: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xED, 0xC1, 0x31, 0x01,
            0x00, 0x00, 0x00, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 0x08, 0x5F, 0xA0,
        ]
        bytes += [UInt8](repeating: 0, count: 1_016)
        bytes += [0x4E, 0x03, 0x28, 0x8B, 0xA4, 0xC6, 0x01, 0x00, 0x10, 0x00] as [UInt8]
        return bytes
    }()

    /// Gzip (RFC 1952) with one stored block: at most 65,535 bytes.
    private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        func little(_ value: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        }
        let count = UInt32(bytes.count)
        var check: UInt32 = .max
        for byte in bytes {
            check ^= UInt32(byte)
            for _ in 0..<8 { check = check & 1 == 1 ? check >> 1 ^ 0xEDB8_8320 : check >> 1 }
        }
        var packed: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1]
        packed += little(count, 2)
        packed += little(~count, 2)
        packed += bytes
        packed += little(~check, 4)
        return packed + little(count, 4)
    }
}
