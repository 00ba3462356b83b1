import AppStore
import Ledger
internal import Projection

/// What the ledger counts in the cells of App Store Connect's reports, under summation over chains.
struct ComparedCells: Summable {
    /// A count, and the first chains that it concerns.
    struct Count: Sendable {
        private(set) var amount: Int64 = 0
        /// Chains, more than once where they add more than once.
        private(set) var chainCount = 0
        /// Unsorted; cut to `chains` now and then, which keeps the first ones.
        private var all: [ChainId] = []

        /// Chains in `all` beyond which it is cut.
        static let heldChainCount = 4 * ExplainedCell.listedChainCount

        /// The first, in order.
        var chains: [ChainId] { Array(all.sorted().prefix(ExplainedCell.listedChainCount)) }

        mutating func add(_ amount: Int64, _ chain: ChainId) {
            self.amount = self.amount.addingSaturated(amount)
            chainCount += 1
            all.append(chain)
            if all.count > Count.heldChainCount { all = chains }
        }

        mutating func add(_ other: Count) {
            amount = amount.addingSaturated(other.amount)
            chainCount += other.chainCount
            all += other.all
            if all.count > Count.heldChainCount { all = chains }
        }
    }

    /// The ledger's side of one cell.
    struct Side: Sendable {
        /// As metrics count it, by days of the report zone.
        var ours: Int64 = 0
        /// The same in Apple's days.
        var inAppleDays = Count()
        /// Differences by rule; `.day` is the difference made by days in Pacific Time.
        var causes: [Explanation.Cause: Count] = [:]
        /// Purchases by price, in Apple's days.
        var prices: [SalesReportTable.Price: Count] = [:]
        /// The estimate of proceeds by currency, in milliunits and Apple's days.
        var proceeds: [String: Int64] = [:]

        mutating func add(_ other: Side) {
            ours = ours.addingSaturated(other.ours)
            inAppleDays.add(other.inAppleDays)
            for (cause, count) in other.causes { causes[cause, default: Count()].add(count) }
            for (price, count) in other.prices { prices[price, default: Count()].add(count) }
            proceeds.merge(other.proceeds) { $0.addingSaturated($1) }
        }
    }

    /// What Apple's reports have.
    let parts: Set<SalesReportTable.Part>
    /// Their days.
    let days: [SalesReport.Kind: Set<CivilDate>]
    /// The days of a subscription report, each with its last moment in the report zone and Apple's.
    let stateDays: [(day: CivilDate, ours: Timestamp, theirs: Timestamp)]
    /// The last moments of the days of each report in Apple's zone, in order.
    let ends: [SalesReport.Kind: [Timestamp]]
    let zone: ReportZone
    let pacific: ReportZone
    /// The products that the reports name.
    let products: Set<ProductId>
    /// The cells in which Apple counts anything: only these can have more than we count.
    let nonzero: Set<SalesReportTable.Cell>
    /// The earlier of now and knownAt.
    let limit: Timestamp

    private(set) var sides: [SalesReportTable.Cell: Side] = [:]
    /// Products of any auto-renewable subscription.
    private(set) var known: Set<ProductId> = []
    /// Products of any one-time purchase.
    private(set) var oneTime: Set<ProductId> = []
    var chainCount = 0
    /// Whether there are more cells than `SalesReportTable.cellCount`; the rest is left out.
    private(set) var isTooLarge = false

    init(
        _ table: SalesReportTable, zone: ReportZone, pacific: ReportZone, limit: Timestamp
    ) {
        parts = table.parts
        days = parts.reduce(into: [:]) { $0[$1.kind, default: []].insert($1.day) }
        stateDays = (days[.subscription] ?? []).map {
            ($0, ComparedCells.end(of: $0, in: zone), ComparedCells.end(of: $0, in: pacific))
        }
        ends = days.mapValues { days in
            days.map { ComparedCells.end(of: $0, in: pacific) }.sorted()
        }
        products = Set(table.cells.map(\.key.product))
        nonzero = Set(table.cells.filter { $0.value.amount > 0 }.map(\.key))
        (self.zone, self.pacific, self.limit) = (zone, pacific, limit)
    }

    mutating func add(_ other: ComparedCells) {
        for (cell, side) in other.sides { change(cell) { $0.add(side) } }
        known.formUnion(other.known)
        oneTime.formUnion(other.oneTime)
        chainCount += other.chainCount
        isTooLarge = isTooLarge || other.isTooLarge
    }

    mutating func note(_ product: ProductId, isOneTime: Bool = false) {
        guard products.contains(product) else { return }
        if isOneTime { oneTime.insert(product) } else { known.insert(product) }
    }

    private mutating func change(_ cell: SalesReportTable.Cell, _ body: (inout Side) -> Void) {
        guard sides[cell] != nil || sides.count < SalesReportTable.cellCount else {
            isTooLarge = true
            return
        }
        body(&sides[cell, default: Side()])
    }

    // MARK: Cells

    /// The cell of a figure on a day; nil where no report has them, or names the product.
    private func cell(
        _ kind: SalesReport.Kind, _ figure: SalesReport.Figure, _ day: CivilDate,
        _ values: DimensionValues
    ) -> SalesReportTable.Cell? {
        guard let product = values.product, products.contains(product),
            parts.contains(SalesReportTable.Part(kind, figure, day))
        else { return nil }
        return SalesReportTable.Cell(
            kind: kind, figure: figure, day: day, product: product,
            country: values.storefront ?? "")
    }

    // MARK: Adding

    /// Adds one occurrence, on its day of the report zone and on Apple's.
    mutating func count(
        _ kind: SalesReport.Kind, _ figure: SalesReport.Figure, at time: Timestamp,
        _ values: DimensionValues, _ chain: ChainId
    ) {
        guard time < limit else { return }
        count(
            cell(kind, figure, zone.day(of: time), values),
            cell(kind, figure, pacific.day(of: time), values), chain)
    }

    /// Adds one to each cell; where the cells differ, `.day` accounts for it.
    mutating func count(
        _ ours: SalesReportTable.Cell?, _ theirs: SalesReportTable.Cell?, _ chain: ChainId
    ) {
        if let ours { change(ours) { $0.ours = $0.ours.addingSaturated(1) } }
        if let theirs { change(theirs) { $0.inAppleDays.add(1, chain) } }
        guard ours != theirs else { return }
        if let ours { change(ours) { $0.causes[.day, default: Count()].add(-1, chain) } }
        if let theirs { change(theirs) { $0.causes[.day, default: Count()].add(1, chain) } }
    }

    /// Adds what may explain a difference in Apple's cell. What may explain that Apple counts more
    /// is left out where Apple counts nothing.
    mutating func explain(
        _ cause: Explanation.Cause, _ amount: Int64, _ kind: SalesReport.Kind,
        _ figure: SalesReport.Figure, at time: Timestamp, _ values: DimensionValues,
        _ chain: ChainId
    ) {
        guard time < limit,
            let cell = self.cell(kind, figure, pacific.day(of: time), values),
            amount < 0 || nonzero.contains(cell)
        else { return }
        change(cell) { $0.causes[cause, default: Count()].add(amount, chain) }
    }

    /// Adds a purchase or refund by its price.
    mutating func price(
        _ price: SalesReportTable.Price, _ figure: SalesReport.Figure, at time: Timestamp,
        _ values: DimensionValues, _ chain: ChainId
    ) {
        guard time < limit,
            let cell = self.cell(.subscriber, figure, pacific.day(of: time), values)
        else { return }
        change(cell) { $0.prices[price, default: Count()].add(1, chain) }
    }

    /// Adds the estimate of a purchase's proceeds.
    mutating func estimate(_ milliunits: Int64, at time: Timestamp, _ values: DimensionValues) {
        guard time < limit, let currency = values.currency,
            let cell = self.cell(.subscriber, .purchases, pacific.day(of: time), values)
        else { return }
        change(cell) {
            $0.proceeds[currency] = ($0.proceeds[currency] ?? 0).addingSaturated(milliunits)
        }
    }

    /// The cell of a chain's state at the end of a day.
    func stateCell(
        _ figure: SalesReport.Figure, _ day: CivilDate, _ values: DimensionValues
    ) -> SalesReportTable.Cell? {
        cell(.subscription, figure, day, values)
    }

    /// The last moment of a day.
    static func end(of day: CivilDate, in zone: ReportZone) -> Timestamp {
        zone.start(of: CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1))
            .advanced(byMilliseconds: -1)
    }
}
