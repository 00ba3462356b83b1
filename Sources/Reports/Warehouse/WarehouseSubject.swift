/// The subject of an append-only export. Raw values are the contract's.
public enum WarehouseSubject: String, Sendable, CaseIterable {
    /// Facts that changed no state but matter, as in a timeline.
    case facts
    /// Changes of a chain's state, or of the values it is counted under.
    case transitions
    /// The change of each day's figures.
    case daily

    /// The columns, in order; documented in the page *Warehouse*.
    public var columns: [String] {
        WarehouseSubject.head + own + WarehouseSubject.tail
    }

    static let head = [
        "position", "knownAt", "sign", "environment", "bundleId", "originalTransactionId",
    ]

    static let tail = ["reducerVersion", "catalogueHash", "rules"]

    /// The columns between the head (when a line was made, and of which chain) and the tail (by
    /// which rules).
    var own: [String] {
        switch self {
        case .facts: ["at", "fact", "productId", "transactionId"]
        case .transitions:
            [
                "at", "from", "to", "reason", "gain", "isCounted", "productId", "group",
                "storefront", "currency", "offer", "phase", "ownership", "annualisedMilliunits",
            ]
        case .daily:
            [
                "day", "metric", "column", "unit", "productId", "storefront", "currency", "amount",
                "timeZone",
            ]
        }
    }
}

/// One value of a line.
package enum WarehouseCell: Hashable, Comparable, Sendable {
    case null
    case flag(Bool)
    case number(Int64)
    case text(String)

    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ number: Int64?) { self = number.map { .number($0) } ?? .null }

    /// An arbitrary but stable order.
    package static func < (left: WarehouseCell, right: WarehouseCell) -> Bool {
        switch (left, right) {
        case (.number(let one), .number(let two)): one < two
        case (.text(let one), .text(let two)): one.utf8.lexicographicallyPrecedes(two.utf8)
        case (.flag(let one), .flag(let two)): !one && two
        default: left.rank < right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .flag: 1
        case .number: 2
        case .text: 3
        }
    }
}
