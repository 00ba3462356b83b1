/// The columns of a report by its header.
struct SalesReportColumns: Sendable {
    private(set) var kind = SalesReport.Kind.subscription
    private(set) var names: [String] = []
    /// Columns that count subscriptions, with their figures.
    private(set) var figures: [(place: Int, figure: SalesReport.Figure)] = []
    private var places: [String: Int] = [:]

    static let appleId = "Subscription Apple ID"
    static let name = "Subscription Name"
    static let country = "Country"
    static let event = "Event"
    static let eventDate = "Event Date"
    static let quantity = "Quantity"
    static let units = "Units"
    static let price = "Customer Price"
    static let currency = "Customer Currency"
    static let refund = "Refund"
    // Not every report has these.
    static let appAppleId = "App Apple ID"
    static let proceeds = "Developer Proceeds"
    static let proceedsCurrency = "Proceeds Currency"
    private static let subscriberId = "Subscriber ID"
    private static let standardPrice = "Active Standard Price Subscriptions"

    init() {}

    init(header: String) throws(SalesReportError) {
        // Some exports begin with a byte order mark.
        let text = header.unicodeScalars.first == "\u{FEFF}" ? String(header.dropFirst()) : header
        names = SalesReportColumns.cells(text)
        guard names.count <= SalesReport.columnCount else { throw .unknownReport }
        for (place, name) in names.enumerated() where !name.isEmpty {
            guard places.updateValue(place, forKey: name) == nil else { throw .unknownReport }
        }
        var needed = [SalesReportColumns.name, SalesReportColumns.country]
        if places[SalesReportColumns.subscriberId] != nil {
            kind = .subscriber
            needed += [
                SalesReportColumns.eventDate, SalesReportColumns.units, SalesReportColumns.price,
                SalesReportColumns.currency, SalesReportColumns.refund,
            ]
        } else if places[SalesReportColumns.event] != nil {
            kind = .subscriptionEvent
            needed += [SalesReportColumns.eventDate, SalesReportColumns.quantity]
        } else if places[SalesReportColumns.standardPrice] != nil {
            kind = .subscription
            for (place, name) in names.enumerated() {
                guard let figure = SalesReport.Figure(column: name) else { continue }
                figures.append((place, figure))
            }
        } else {
            throw .unknownReport
        }
        for name in needed + [SalesReportColumns.appleId] where places[name] == nil {
            throw .missingColumn(name, kind)
        }
    }

    /// The cell of a column; empty where the report does not have it.
    func text(_ column: String, _ cells: [String]) -> String {
        places[column].map { cells[$0] } ?? ""
    }

    /// The cells of a line, without spaces around them: Apple writes a space for nothing.
    static func cells(_ line: String) -> [String] {
        line.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map {
            var part = $0
            while part.first == UInt8(ascii: " ") { part.removeFirst() }
            while part.last == UInt8(ascii: " ") { part.removeLast() }
            return String(Substring(part))
        }
    }
}
