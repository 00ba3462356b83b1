public import AppStore
import Ledger

/// Apple's numbers of one or more reports, by day, product and country. A later report of the same
/// kind replaces the days it has: Apple restates.
public struct SalesReportTable: Sendable {
    /// What one number counts.
    public struct Cell: Hashable, Sendable {
        public var kind: SalesReport.Kind
        public var figure: SalesReport.Figure
        /// In Apple's zone.
        public var day: CivilDate
        public var product: ProductId
        /// As in payloads (`USA`); empty: none is stated.
        public var country: String

        /// What a later report replaces with this cell.
        var part: Part { Part(kind, figure, day) }

        /// A cell of another figure.
        func with(_ figure: SalesReport.Figure) -> Cell {
            var cell = self
            cell.figure = figure
            return cell
        }

        /// The same cell of another country.
        func with(country: String) -> Cell {
            var cell = self
            cell.country = country
            return cell
        }
    }

    /// A price that a subscriber report states.
    public struct Price: Hashable, Sendable {
        public var milliunits: Int64
        public var currency: String
    }

    /// What Apple states in a cell.
    struct Stated: Sendable {
        var amount: Int64 = 0
        /// Empty except for a subscriber report.
        var prices: [Price: Int64] = [:]
        /// Milliunits by currency, where the report has them.
        var proceeds: [String: Int64] = [:]

        mutating func add(_ row: SalesReport.Row) {
            amount += row.amount
            if let proceeds = row.proceeds, let currency = row.proceedsCurrency {
                self.proceeds[currency] = (self.proceeds[currency] ?? 0).addingSaturated(proceeds)
            }
            guard let milliunits = row.price, let currency = row.currency else { return }
            let price = Price(milliunits: milliunits, currency: currency)
            prices[price, default: 0] += row.amount
        }

        var moneyCount: Int { prices.count + proceeds.count }
    }

    /// A day of a kind of report; of subscriptions for each figure: not every version has columns
    /// for all.
    struct Part: Hashable, Sendable {
        let kind: SalesReport.Kind
        let day: CivilDate
        /// Nil except of subscriptions.
        let figure: SalesReport.Figure?

        init(_ kind: SalesReport.Kind, _ figure: SalesReport.Figure, _ day: CivilDate) {
            (self.kind, self.day) = (kind, day)
            self.figure = kind == .subscription ? figure : nil
        }
    }

    /// Product ids by Apple's number or by reference name.
    private let products: [String: ProductId]
    /// Of these, the names that no row has had.
    public private(set) var unmatchedNames: Set<String>
    private(set) var cells: [Cell: Stated] = [:]
    /// The cells of malformed rows of the last report with their part: Apple's number in them is
    /// unknown.
    private(set) var unread: Set<Cell> = []
    /// What an earlier report stated, where the last one differs.
    private(set) var earlier: [Cell: Int64] = [:]
    /// The report being read.
    private var current: [Cell: Stated] = [:]
    private var currentUnread: Set<Cell> = []
    private var moneyCount = 0
    /// Whether a report, or `unread`, has more cells than `cellCount`; other rows were left out.
    public private(set) var isTooLarge = false

    /// Cells, and prices and currencies of proceeds within them, of one report.
    public static let cellCount = MetricsLimits.rowCount

    /// - Parameter products: product ids by Apple's number, or by reference name, of products whose
    ///   reference name is not their product id.
    public init(products: [String: ProductId] = [:]) {
        self.products = products
        unmatchedNames = Set(products.keys)
    }

    /// Adds a row of the report being read.
    public mutating func add(_ row: SalesReport.Row) {
        guard !isTooLarge else { return }
        if !unmatchedNames.isEmpty { unmatchedNames.subtract([row.appleId, row.name]) }
        let cell = Cell(
            kind: row.kind, figure: row.figure, day: row.day,
            product: products[row.appleId] ?? products[row.name] ?? ProductId(row.name),
            country: row.country)
        guard !row.isMalformed else {
            currentUnread.insert(cell)
            isTooLarge = unread.count + currentUnread.count > SalesReportTable.cellCount
            return
        }
        guard current[cell] != nil || current.count < SalesReportTable.cellCount else {
            isTooLarge = true
            return
        }
        let before = current[cell]?.moneyCount ?? 0
        current[cell, default: Stated()].add(row)
        moneyCount += (current[cell]?.moneyCount ?? 0) - before
        if moneyCount > SalesReportTable.cellCount { isTooLarge = true }
    }

    /// Ends a report. Its days replace those of earlier reports of its kind.
    public mutating func endReport() {
        let parts = Set(current.map(\.key.part)).union(currentUnread.map(\.part))
        for (cell, stated) in cells where parts.contains(cell.part) {
            let now = current[cell]?.amount ?? 0
            if now != stated.amount { earlier[cell] = stated.amount }
            cells[cell] = current[cell] ?? Stated()
        }
        for (cell, stated) in current where cells[cell] == nil {
            cells[cell] = stated
            if replaced.contains(cell.part), stated.amount != 0 { earlier[cell] = 0 }
        }
        // What a malformed row stated earlier is unknown, too.
        for cell in unread { earlier[cell] = nil }
        unread = unread.filter { !parts.contains($0.part) }.union(currentUnread)
        replaced.formUnion(parts)
        (current, currentUnread) = ([:], [])
        moneyCount = 0
    }

    /// Of earlier reports.
    private var replaced: Set<Part> = []

    /// The parts with any number, 0 included.
    var parts: Set<Part> { Set(cells.map(\.key.part)) }
}
