/// A range of whole days, for distributions.
struct DayBucket: Hashable, Sendable {
    let from: Int64
    /// Inclusive; nil: without end.
    let through: Int64?

    /// `0`, `2-3`, `31+`.
    var name: String {
        guard let through else { return "\(from)+" }
        return through == from ? "\(from)" : "\(from)-\(through)"
    }

    func contains(_ days: Int64) -> Bool {
        days >= from && (through.map { days <= $0 } ?? true)
    }

    /// When in a period something happened: the first and the last day apart.
    static let timing = buckets([0, 1, 2, 4, 8, 15, 31])
    /// How long somebody was away.
    static let away = buckets([0, 7, 30, 90, 365])

    private static func buckets(_ starts: [Int64]) -> [DayBucket] {
        starts.enumerated().map { index, from in
            DayBucket(
                from: from, through: index + 1 < starts.count ? starts[index + 1] - 1 : nil)
        }
    }

    /// Whole days of a length; below nothing is the first day.
    static func days(_ milliseconds: Int64) -> Int64 { max(0, milliseconds) / 86_400_000 }
}
