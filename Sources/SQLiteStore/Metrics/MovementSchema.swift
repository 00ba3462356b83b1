internal import AppStore
internal import GRDB
public import Ledger
internal import LedgerStore

/// The tables of sums, and the binding of their rows.
enum MovementTable {
    static let days = "movements_by_day"
    static let months = "movements_by_month"
    static let dayColumns = ["from_at", "before_class", "after_class", "label", "chains"]
    /// The table of days that have sums.
    static let calendar = "report_days"
    static let pending = "pending_movements"
    static let classes = "metric_classes"
    static let classColumns = [
        "id", "uses", "app", "product_id", "subscription_group", "storefront", "currency",
        "offer_type", "offer_identifier", "offer_discount_type", "phase", "ownership",
        "annualised", "is_inferred",
    ]

    static func insert(
        _ number: Int64, uses: Int64, _ counted: CountedClass, _ database: Database
    ) throws {
        let values = counted.values
        try FileTables(database: database).insert(
            into: classes,
            [
                "id": number, "uses": uses, "app": values.app, "product_id": values.product,
                "subscription_group": values.group, "storefront": values.storefront,
                "currency": values.currency, "offer_type": values.offer?.type?.rawValue,
                "offer_identifier": values.offer?.identifier,
                "offer_discount_type": values.offer?.discountType?.rawValue,
                "phase": values.phase.rawValue, "ownership": values.ownership.rawValue,
                "annualised": counted.annualised, "is_inferred": counted.isInferred,
            ])
    }

    /// Every class.
    ///
    /// - Parameter schema: the attached file that holds them.
    static func read(_ database: Database, of schema: String = "main") throws -> ClassTable {
        let select = try PreparedStatement(
            database,
            """
            SELECT \(classColumns.joined(separator: ", ")) FROM \(schema).\(classes) ORDER BY id
            """)
        defer { select.reset() }
        let recent = StringInterner()
        var table = ClassTable()
        func text(_ column: Int32) -> String? {
            guard !select.isNull(column) else { return nil }
            return select.withBytes(column) { recent.text($0) }
        }
        while try select.step() {
            let offer = ClassCodec.offer(
                type: select.optionalInt64(7), identifier: text(8), discountType: text(9))
            let values = DimensionValues(
                app: BundleId(text(2) ?? ""), product: text(3).map { ProductId($0) },
                group: text(4), storefront: text(5), currency: text(6), offer: offer,
                phase: ChainAnswer.Phase(rawValue: text(10) ?? "") ?? .standard,
                ownership: ClassCodec.ownership(text(11) ?? ""))
            table.append(
                CountedClass(
                    values: values, annualised: select.optionalInt64(12),
                    isInferred: select.int64(13) == 1),
                number: select.int64(0))
        }
        return table
    }

    /// - Parameter known: classes read before; returned unchanged where the same numbers are
    ///   stored, since a class never changes under its number.
    static func classTable(
        _ database: Database, known: ClassTable = ClassTable()
    ) throws -> ClassTable {
        let numbers = try database.rows("SELECT id FROM \(classes) ORDER BY id") { $0.int64(0) }
        return try numbers == known.sortedNumbers ? known : read(database)
    }
}

/// Classes by number, and by their index in number order.
public struct ClassTable: Sendable, Equatable {
    public private(set) var classes: [CountedClass] = []
    private var numbers: [Int64] = []
    /// A hash table of indexes plus 1, 0 when empty, probed from the low bits of the number:
    /// numbers are digests and evenly distributed.
    private var slots: [Int32] = [0]

    public init() {}

    public var count: Int { classes.count }

    /// The numbers, in index order.
    public var sortedNumbers: [Int64] { numbers }

    /// - Parameter number: must not be in the table.
    mutating func append(_ counted: CountedClass, number: Int64) {
        classes.append(counted)
        numbers.append(number)
        if slots.count < numbers.count * 2 {
            slots = Array(repeating: 0, count: slots.count * 4)
            for place in numbers.indices { enter(place) }
        } else {
            enter(numbers.count - 1)
        }
    }

    private mutating func enter(_ place: Int) {
        var slot = self.slot(numbers[place])
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Int32(place + 1)
    }

    private func slot(_ number: Int64) -> Int {
        Int(truncatingIfNeeded: number) & (slots.count - 1)
    }

    /// The index of a class; nil when it is not in the table.
    @inline(__always)
    public func place(of number: Int64) -> Int? {
        var slot = self.slot(number)
        while true {
            let place = Int(slots[slot]) - 1
            guard place >= 0 else { return nil }
            if numbers[place] == number { return place }
            slot = (slot + 1) & (slots.count - 1)
        }
    }

    public subscript(number: Int64) -> CountedClass? { place(of: number).map { classes[$0] } }
}
