/// What an append-only export tells. Raw values are the contract's.
public enum WarehouseSubject: String, Sendable, CaseIterable {
    /// What changed no state but matters, as in a timeline.
    case facts
    /// Changes of a chain's state, or of what it is counted under.
    case transitions
    /// What each day's figures moved by.
    case daily

    /// The columns, in order; every one is told in the page *Warehouse*.
    public var columns: [String] {
        WarehouseSubject.head + own + WarehouseSubject.tail
    }

    static let head = [
        "position", "knownAt", "sign", "environment", "bundleId", "originalTransactionId",
    ]

    static let tail = ["reducerVersion", "catalogueHash", "rules"]

    /// Those between the head, which says when a line was made and of which chain, and the tail,
    /// which says by what rules.
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

    /// Any order will do, if it is always the same.
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
