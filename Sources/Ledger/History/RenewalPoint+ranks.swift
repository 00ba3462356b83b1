import AppStore

extension RenewalPoint {
    /// A renewal snapshot, and the one of a higher rank that it must not overrule.
    struct Ranked {
        let point: RenewalPoint
        /// The newest of a higher rank that was signed before it, in the same period.
        let ruling: RenewalPoint?
    }

    /// Renewal snapshots of several ranks of trust, oldest first: a lower one counts only in a period
    /// of which no higher one had spoken by then (`lifecycle.md` §2 rule 2).
    ///
    /// - Parameter starts: of the periods that count, ascending.
    static func ranked(
        _ points: [RenewalPoint], _ facts: [Fact], starts: [Timestamp]
    ) -> [Ranked] {
        return points.map { point in
            let trust = facts[point.fact].trust
            let start = starts.last { $0 <= point.signedDate }
            let ruling = points.last { other in
                facts[other.fact].trust > trust && other.signedDate <= point.signedDate
                    && (start.map { $0 <= other.signedDate } ?? true)
            }
            return Ranked(point: point, ruling: ruling)
        }
    }
}
