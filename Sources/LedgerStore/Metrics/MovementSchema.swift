internal import AppStore
internal import GRDB
internal import Ledger

/// The tables of sums, and how their rows are bound.
enum MovementTable {
    static let days = "movements_by_day"
    static let months = "movements_by_month"
    static let sumColumns = ["from_at", "before_class", "after_class", "label", "chains"]
    /// The days that have sums.
    static let calendar = "report_days"
    static let calendarColumns = ["from_at", "to_at", "date"]
    static let pending = "pending_movements"
    static let pendingColumns = [
        "at", "subscription", "seq", "before_class", "after_class", "label",
    ]
    static let classes = "metric_classes"
    static let classColumns = [
        "id", "uses", "app", "product_id", "subscription_group", "storefront", "currency",
        "offer_type", "offer_identifier", "offer_discount_type", "phase", "ownership",
        "annualised", "is_inferred",
    ]

    static func bind(_ cell: MovementCell, _ count: Int64, _ sink: inout some ColumnSink) {
        sink.bind(1, cell.from)
        sink.bind(2, cell.before)
        sink.bind(3, cell.after)
        sink.bind(4, cell.label)
        sink.bind(5, count)
    }

    static func bind(_ day: ReportDay, _ sink: inout some ColumnSink) {
        sink.bind(1, day.start.milliseconds)
        sink.bind(2, day.end.milliseconds)
        sink.bind(3, day.date)
    }

    static func bind(
        _ number: Int64, uses: Int64, _ counted: CountedClass, _ sink: inout some ColumnSink
    ) {
        let values = counted.values
        sink.bind(1, number)
        sink.bind(2, uses)
        sink.bind(3, values.app.rawValue)
        sink.bind(4, values.product?.rawValue)
        sink.bind(5, values.group)
        sink.bind(6, values.storefront)
        sink.bind(7, values.currency)
        sink.bind(8, values.offer?.type?.rawValue)
        sink.bind(9, values.offer?.identifier)
        sink.bind(10, values.offer?.discountType?.rawValue)
        sink.bind(11, values.phase.rawValue)
        sink.bind(12, values.ownership.rawValue)
        sink.bind(13, counted.annualised)
        sink.bind(14, counted.isInferred ? Int64(1) : 0)
    }

    /// Every class, by its number, with its uses.
    ///
    /// - Parameter schema: the attached file that has them.
    static func classes(_ database: Database, of schema: String = "main") throws -> [Int64:
        ClassUse]
    {
        let select = try BoundStatement(
            database,
            "SELECT \(classColumns.joined(separator: ", ")) FROM \(schema).\(classes)")
        defer { select.reset() }
        var found: [Int64: ClassUse] = [:]
        while try select.step() {
            var values = DimensionValues(app: BundleId(select.text(2) ?? ""))
            values.product = select.text(3).map { ProductId($0) }
            values.group = select.text(4)
            values.storefront = select.text(5)
            values.currency = select.text(6)
            values.offer = ClassCodec.offer(
                type: select.optionalInt64(7), identifier: select.text(8),
                discountType: select.text(9))
            values.phase = ChainAnswer.Phase(rawValue: select.text(10) ?? "") ?? .standard
            values.ownership = ClassCodec.ownership(select.text(11) ?? "")
            found[select.int64(0)] = ClassUse(
                count: select.int64(1),
                counted: CountedClass(
                    values: values, annualised: select.optionalInt64(12),
                    isInferred: select.int64(13) == 1))
        }
        return found
    }
}
