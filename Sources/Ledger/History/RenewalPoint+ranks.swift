import AppStore

extension RenewalPoint {
    /// A renewal snapshot, and the higher-rank one that it must not override.
    struct Ranked {
        let point: RenewalPoint
        /// The newest higher-rank one signed before it, in the same period.
        let ruling: RenewalPoint?
    }

    /// Renewal snapshots of several trust ranks, oldest first: a lower-rank one counts only in a
    /// period without an earlier higher-rank one (`lifecycle.md` §2 rule 2).
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
