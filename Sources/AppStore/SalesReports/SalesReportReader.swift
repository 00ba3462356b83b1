/// Reads a report of App Store Connect, tab-separated text, in pieces of any size; holds one line.
/// A row that it cannot read is listed in `malformed`, and does not stop the rest.
public struct SalesReportReader: Sendable {
    /// Nil before the header.
    public private(set) var kind: SalesReport.Kind?
    /// Rows after the header, malformed ones included; empty lines are not counted.
    public private(set) var rowCount = 0
    /// The first malformed rows.
    public private(set) var malformed: [SalesReport.MalformedRow] = []
    public private(set) var malformedCount = 0
    /// Rows that were left out because they are of an app that was not asked about.
    public private(set) var otherAppCount = 0
    /// Sums of the events that are not compared.
    private var notCompared: [String: Int64] = [:]

    /// The day of a report whose rows have none.
    private let day: CivilDate?
    /// Apple's numbers of the apps asked about; nil: all.
    private let apps: Set<String>?
    /// Bytes of the report; fewer in tests.
    var limit = SalesReport.byteCount
    private var columns = SalesReportColumns()
    private var byteCount = 0
    private var lineNumber = 0
    private var line: [UInt8] = []
    private var isTooLong = false

    /// - Parameters:
    ///   - day: of a subscription report, which does not state it.
    ///   - apps: the apps whose rows are read, by App Apple ID, with the rows that have none; nil:
    ///     all rows.
    public init(day: CivilDate? = nil, apps: Set<Int64>? = nil) {
        self.day = day
        self.apps = apps.map { Set($0.map(\.description)) }
    }

    /// The events that are not compared, by Apple's name in order, with their sums; at most
    /// `SalesReport.eventNameCount`.
    public var otherEvents: [(name: String, quantity: Int64)] {
        notCompared.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Reads the next piece, and passes on the numbers of each complete row, also those that a
    /// malformed row leaves unknown.
    public mutating func read(
        _ bytes: [UInt8], _ take: (SalesReport.Row) -> Void
    ) throws(SalesReportError) {
        byteCount += bytes.count
        guard byteCount <= limit else { throw .tooLarge }
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                try endLine(take)
            } else if line.count < SalesReport.lineByteCount {
                line.append(byte)
            } else {
                // A carriage return at the bound belongs to the end of the line.
                isTooLong = isTooLong || byte != UInt8(ascii: "\r")
            }
        }
    }

    /// Reads a last line without a line feed.
    public mutating func finish(
        _ take: (SalesReport.Row) -> Void
    ) throws(SalesReportError) {
        try endLine(take)
        guard kind != nil else { throw .empty }
    }

    private mutating func endLine(
        _ take: (SalesReport.Row) -> Void
    ) throws(SalesReportError) {
        lineNumber += 1
        defer {
            line.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard kind != nil else {
            if line.isEmpty { return }
            // A carriage return within it: lines that do not end in a line feed.
            guard !isTooLong, !line.contains(UInt8(ascii: "\r")),
                let text = String(validating: line, as: UTF8.self)
            else { throw .unknownReport }
            columns = try SalesReportColumns(header: text)
            kind = columns.kind
            guard kind != .subscription || day != nil else { throw .dayUnknown }
            return
        }
        guard isTooLong || line.contains(where: { $0 > UInt8(ascii: " ") }) else { return }
        rowCount += 1
        guard !isTooLong else { return note(.lineTooLong) }
        guard let text = String(validating: line, as: UTF8.self) else { return note(.notUTF8) }
        let cells = SalesReportColumns.cells(text)
        do throws(Problem) {
            for row in try rows(cells) { take(row) }
        } catch {
            note(error)
            for row in unread(cells) { take(row) }
        }
    }

    private typealias Problem = SalesReport.MalformedRow.Code

    private mutating func note(_ code: SalesReport.MalformedRow.Code) {
        malformedCount += 1
        guard malformed.count < SalesReport.listedRowCount else { return }
        malformed.append(SalesReport.MalformedRow(line: lineNumber, code: code))
    }

    // MARK: Rows

    private mutating func rows(_ cells: [String]) throws(Problem) -> [SalesReport.Row] {
        guard cells.count == columns.names.count else { throw .columnCount }
        let app = columns.text(SalesReportColumns.appAppleId, cells)
        if let apps, !app.isEmpty, !apps.contains(app) {
            otherAppCount += 1
            return []
        }
        switch columns.kind {
        case .subscription:
            guard let day else { return [] }
            var rows: [SalesReport.Row] = []
            for (place, figure) in columns.figures {
                rows.append(try row(cells, figure, day, count(cells[place])))
            }
            return rows
        case .subscriptionEvent:
            let event = columns.text(SalesReportColumns.event, cells)
            let day = try date(columns.text(SalesReportColumns.eventDate, cells))
            let amount = try count(columns.text(SalesReportColumns.quantity, cells))
            guard let figure = SalesReport.Figure(event: event) else {
                guard event.utf8.count <= SalesReport.textByteCount else { throw .textTooLong }
                if notCompared[event] != nil || notCompared.count < SalesReport.eventNameCount {
                    notCompared[event, default: 0] += amount
                }
                // Amount 0 records that the report covers this day and product.
                return [try row(cells, .renewals, day, 0)]
            }
            return [try row(cells, figure, day, amount)]
        case .subscriber: return [try subscriber(cells)]
        }
    }

    /// The numbers that a malformed row leaves unknown; none where its day, product or country
    /// cannot be read.
    private func unread(_ cells: [String]) -> [SalesReport.Row] {
        guard cells.count == columns.names.count else { return [] }
        var figures = columns.figures.map(\.figure)
        var day = day
        if columns.kind != .subscription {
            let event = columns.text(SalesReportColumns.event, cells)
            figures =
                columns.kind == .subscriber
                ? SalesReport.Figure.all(of: .subscriber)
                : [SalesReport.Figure(event: event)].compactMap(\.self)
            day = try? date(columns.text(SalesReportColumns.eventDate, cells))
        }
        guard let day else { return [] }
        return figures.compactMap { figure in
            var row = try? row(cells, figure, day, 0)
            row?.isMalformed = true
            return row
        }
    }

    /// Negative prices and units are refunds, as is a row marked so.
    private func subscriber(_ cells: [String]) throws(Problem) -> SalesReport.Row {
        let day = try date(columns.text(SalesReportColumns.eventDate, cells))
        let units = try whole(columns.text(SalesReportColumns.units, cells))
        let price = try money(columns.text(SalesReportColumns.price, cells))
        let isRefund =
            columns.text(SalesReportColumns.refund, cells) == "Yes" || price < 0 || units < 0
        let figure: SalesReport.Figure =
            isRefund ? .refunds : price == 0 ? .freePeriods : .purchases
        var found = try row(cells, figure, day, abs(units))
        found.price = abs(price)
        found.currency = try text(SalesReportColumns.currency, cells)
        let currency = try text(SalesReportColumns.proceedsCurrency, cells)
        let stated = columns.text(SalesReportColumns.proceeds, cells)
        guard !currency.isEmpty, !stated.isEmpty else { return found }
        let unit = try money(stated)
        let (proceeds, overflow) = abs(unit).multipliedReportingOverflow(by: found.amount)
        guard !overflow else { throw .invalidNumber }
        found.proceeds = isRefund ? -proceeds : proceeds
        found.proceedsCurrency = currency
        return found
    }

    private func row(
        _ cells: [String], _ figure: SalesReport.Figure, _ day: CivilDate, _ amount: Int64
    ) throws(Problem) -> SalesReport.Row {
        let country = try text(SalesReportColumns.country, cells)
        return SalesReport.Row(
            kind: columns.kind, figure: figure, day: day,
            appleId: try text(SalesReportColumns.appleId, cells),
            name: try text(SalesReportColumns.name, cells),
            country: StorefrontCode.alpha3(country) ?? country, amount: amount)
    }

    // MARK: Values

    /// A text that a cell keeps.
    private func text(_ column: String, _ cells: [String]) throws(Problem) -> String {
        let text = columns.text(column, cells)
        guard text.utf8.count <= SalesReport.textByteCount else { throw .textTooLong }
        return text
    }

    private func date(_ text: String) throws(Problem) -> CivilDate {
        var reader = DigitReader(text)
        if let date = reader.date(), reader.isAtEnd { return date }
        reader = DigitReader(text)
        if let month = reader.number(width: 2, in: 1...12), reader.take("/"),
            let day = reader.number(width: 2, in: 1...31), reader.take("/"),
            let year = reader.number(width: 4, in: 1...9999), reader.isAtEnd,
            day <= CivilDate.daysInMonth(month, of: year)
        {
            return CivilDate(year: year, month: month, day: day)
        }
        throw .invalidDate
    }

    /// How many events or subscriptions: never negative.
    private func count(_ text: String) throws(Problem) -> Int64 {
        let number = try whole(text)
        guard number >= 0 else { throw .invalidNumber }
        return number
    }

    private func whole(_ text: String) throws(Problem) -> Int64 {
        guard let number = Int64(plain: text), number.magnitude <= SalesReport.largestCount else {
            throw .invalidNumber
        }
        return number
    }

    /// A decimal as milliunits; digits after the third must be 0.
    private func money(_ text: String) throws(Problem) -> Int64 {
        guard text.utf8.contains(where: { $0 &- UInt8(ascii: "0") <= 9 }) else {
            throw .invalidNumber
        }
        let isNegative = text.hasPrefix("-")
        let parts = (isNegative ? text.dropFirst() : text[...]).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        var fraction = parts.count > 1 ? String(parts[1]) : ""
        while fraction.hasSuffix("0") { fraction.removeLast() }
        guard fraction.utf8.count <= 3, let whole = parts.first else {
            throw .invalidNumber
        }
        fraction += String(repeating: "0", count: 3 - fraction.utf8.count)
        let digits = (whole.isEmpty ? "0" : String(whole)) + fraction
        guard digits.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") <= 9 }),
            let value = Int64(digits)
        else { throw .invalidNumber }
        return isNegative ? -value : value
    }
}
