/// A range of whole days, for distributions.
struct DayBucket: Hashable, Sendable {
    let from: Int64
    /// Inclusive; nil if open.
    let through: Int64?

    /// `0`, `2-3`, `31+`.
    var name: String {
        guard let through else { return "\(from)+" }
        return through == from ? "\(from)" : "\(from)-\(through)"
    }

    func contains(_ days: Int64) -> Bool {
        days >= from && (through.map { days <= $0 } ?? true)
    }

    /// Time within a period: the first and last day are separate.
    static let timing = buckets([0, 1, 2, 4, 8, 15, 31])
    /// Time without access.
    static let away = buckets([0, 7, 30, 90, 365])

    private static func buckets(_ starts: [Int64]) -> [DayBucket] {
        starts.enumerated().map { index, from in
            DayBucket(
                from: from, through: index + 1 < starts.count ? starts[index + 1] - 1 : nil)
        }
    }

    /// Whole days of a duration; negative durations count as 0.
    static func days(_ milliseconds: Int64) -> Int64 { max(0, milliseconds) / 86_400_000 }
}
