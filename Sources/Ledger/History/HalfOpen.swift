import AppStore

/// A stretch `[from, to)` of valid time.
protocol HalfOpen {
    var from: Timestamp { get }
    /// Nil while it is open.
    var to: Timestamp? { get }
}

extension HalfOpen {
    func contains(_ time: Timestamp) -> Bool { from <= time && (to.map { time < $0 } ?? true) }
}

/// The earlier of two ends; nil is open.
func earlier(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
    guard let left else { return right }
    return right.map { min(left, $0) } ?? left
}

extension Timestamp {
    /// Receipts have whole seconds.
    var wholeSeconds: Int64 { milliseconds / 1_000 }

    /// Compares at the precision of receipts.
    func isSameSecond(as other: Timestamp) -> Bool { wholeSeconds == other.wholeSeconds }
}
