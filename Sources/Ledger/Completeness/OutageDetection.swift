public import AppStore

/// Detects windows in which notifications may be missing, from the times of deliveries and gaps.
/// Pure.
public enum OutageDetection {
    /// A window to recover, and the reasons.
    public struct Suggestion: Hashable, Sendable {
        public var from: Timestamp
        public var to: Timestamp
        /// In order of name, each once.
        public var reasons: [Reason]

        public init(from: Timestamp, to: Timestamp, reasons: [Reason]) {
            self.from = from
            self.to = to
            self.reasons = reasons
        }
    }

    /// Why a window is suspected.
    public enum Reason: String, Sendable, CaseIterable {
        /// Apple reports failed deliveries.
        case failedDeliveries
        /// Many deliveries came so late that Apple must have tried before.
        case lateDeliveries
        /// Nothing arrived for longer than usual.
        case silence
    }

    /// How far back detection looks.
    public static let lookBackMilliseconds: Int64 = 14 * 86_400_000
    /// Maximum deliveries that recovery examines, the newest.
    public static let arrivalCount = 1_000_000
    /// Minimum length of a suspicious silence.
    public static let shortestSilenceMilliseconds: Int64 = 3_600_000
    /// Minimum length as a multiple of the usual longest gap, their 99th percentile.
    public static let silenceFactor: Int64 = 5
    static let percentile = 99
    /// A delivery this late counts as late (`Lifecycle.md` §4, `lateDelivery`).
    public static let latenessMilliseconds: Int64 = 10 * 60_000
    /// This many late ones, each signed within `clusterMilliseconds` of the next, are suspicious.
    public static let clusterCount = 5
    public static let clusterMilliseconds: Int64 = 3_600_000
    /// Notifications signed this long before a silence may have been in transit when it began.
    public static let marginMilliseconds: Int64 = 10 * 60_000

    /// The windows that the deliveries make suspicious, in order of time, not touching each other,
    /// none ending after `now`.
    ///
    /// - Parameters:
    ///   - arrivals: in any order; those after `now` are ignored.
    ///   - now: the end of the time without a delivery after the last.
    ///   - swept: completed sweeps. A silence is dropped when less than a suspicious length remains
    ///     unswept; of the others the swept beginnings are cut off.
    public static func suggestions(
        _ arrivals: [NotificationDelivery], now: Timestamp, swept: [CompleteWindow] = []
    ) -> [Suggestion] {
        suggestions(
            arrivals.map(\.receivedAt), late: arrivals.filter(isLate), now: now, swept: swept)
    }

    /// The same from what detection needs of very many deliveries: when each arrived, and those
    /// that came late.
    package static func suggestions(
        _ received: [Timestamp], late: [NotificationDelivery], now: Timestamp,
        swept: [CompleteWindow] = []
    ) -> [Suggestion] {
        var times = received.filter { $0 <= now }
        times.sort()
        if let last = times.last, last < now { times.append(now) }
        let signed = late.filter { $0.receivedAt <= now }.map(\.signedAt).sorted()
        return merged(
            clipped(silences(times, swept) + open(lateness(signed), swept), now: now))
    }

    /// Windows of notifications that Apple could not deliver.
    ///
    /// - Parameter signedDates: their dates, in any order.
    public static func suggestions(undelivered signedDates: [Timestamp]) -> [Suggestion] {
        clusters(signedDates.sorted()).map { cluster in
            Suggestion(from: cluster.0, to: cluster.1, reasons: [.failedDeliveries])
        }
    }

    // MARK: Silence

    /// - Parameter times: of arrivals, ascending; the last may be now.
    private static func silences(
        _ times: [Timestamp], _ swept: [CompleteWindow]
    ) -> [Suggestion] {
        let gaps = zip(times, times.dropFirst())
        var lengths = gaps.map { $1.milliseconds(since: $0) }
        lengths.sort()
        return gaps.compactMap { from, to in
            // Most gaps are short, and finding their rank is slow.
            let length = to.milliseconds(since: from)
            guard length > shortestSilenceMilliseconds else { return nil }
            let bound = max(
                shortestSilenceMilliseconds, silenceFactor * usual(lengths, without: length))
            let margin = from.advanced(byMilliseconds: -marginMilliseconds)
            let open = rest(margin, from, to, swept)
            // No notification is missing from a swept part.
            guard length > bound, to.milliseconds(since: open.quiet) > bound else { return nil }
            return Suggestion(from: open.begin, to: to, reasons: [.silence])
        }
    }

    /// The start of the unswept rest of a silence, with its margin and without.
    private static func rest(
        _ margin: Timestamp, _ from: Timestamp, _ to: Timestamp, _ swept: [CompleteWindow]
    ) -> (begin: Timestamp, quiet: Timestamp) {
        var (begin, quiet) = (margin, from)
        for window in swept.sorted(by: { $0.from < $1.from }) where window.from <= quiet {
            begin = max(begin, min(window.through, to))
            quiet = max(quiet, begin)
        }
        return (begin, quiet)
    }

    /// The 99th percentile of the other gaps, so that a gap does not raise its own limit; 0 without
    /// others.
    ///
    /// - Parameters:
    ///   - sorted: all gaps.
    ///   - length: one of them.
    private static func usual(_ sorted: [Int64], without length: Int64) -> Int64 {
        let count = sorted.count - 1
        guard count > 0 else { return 0 }
        let rank = (count * percentile + 99) / 100 - 1
        // Gaps after the excluded one move down by one place.
        let own = sorted.indices.partitioningIndex { sorted[$0] >= length }
        return sorted[rank < own ? rank : rank + 1]
    }

    // MARK: Lateness

    /// Whether Apple must have tried before.
    package static func isLate(_ delivery: NotificationDelivery) -> Bool {
        delivery.receivedAt.milliseconds(since: delivery.signedAt) > latenessMilliseconds
    }

    /// - Parameter signed: the dates of late deliveries, ascending.
    private static func lateness(_ signed: [Timestamp]) -> [Suggestion] {
        clusters(signed).filter { $0.2 >= clusterCount }.map { cluster in
            Suggestion(
                from: cluster.0.advanced(byMilliseconds: -marginMilliseconds), to: cluster.1,
                reasons: [.lateDeliveries])
        }
    }

    /// Clusters of close times: from the first to just past the last, and the count.
    private static func clusters(
        _ sorted: [Timestamp]
    ) -> [(Timestamp, Timestamp, Int)] {
        var found: [(Timestamp, Timestamp, Int)] = []
        for time in sorted {
            let end = time.advanced(byMilliseconds: 1)
            // The end is a millisecond past the last one.
            if let last = found.last, time.milliseconds(since: last.1) < clusterMilliseconds {
                found[found.count - 1] = (last.0, end, last.2 + 1)
            } else {
                found.append((time, end, 1))
            }
        }
        return found
    }

    // MARK: Merging

    /// Merges windows that touch.
    public static func merged(_ suggestions: [Suggestion]) -> [Suggestion] {
        var found: [Suggestion] = []
        for next in suggestions.sorted(by: { ($0.from, $0.to) < ($1.from, $1.to) }) {
            guard let last = found.last, next.from <= last.to else {
                found.append(next)
                continue
            }
            found[found.count - 1].to = max(last.to, next.to)
            found[found.count - 1].reasons = Set(last.reasons + next.reasons)
                .sorted { $0.rawValue < $1.rawValue }
        }
        return found
    }

    /// From the first window's start to the last one's end; nil without windows.
    public static func hull(_ suggestions: [Suggestion]) -> Suggestion? {
        let all = merged(suggestions)
        guard let first = all.first, let end = all.map(\.to).max() else { return nil }
        return Suggestion(
            from: first.from, to: end,
            reasons: Set(all.flatMap(\.reasons)).sorted { $0.rawValue < $1.rawValue })
    }

    /// The windows that Apple's history still covers at least partly, and those that ended before
    /// it begins.
    public static func partitioned(
        _ suggestions: [Suggestion], now: Timestamp, in environment: Environment
    ) -> (reported: [Suggestion], tooOld: [Suggestion]) {
        let oldest = now.advanced(
            byMilliseconds: -NotificationHistory.milliseconds(in: environment))
        return (suggestions.filter { $0.to > oldest }, suggestions.filter { $0.to <= oldest })
    }

    /// The windows that are not completely swept.
    package static func open(
        _ suggestions: [Suggestion], _ swept: [CompleteWindow]
    ) -> [Suggestion] {
        let windows = swept.sorted { $0.from < $1.from }
        return suggestions.compactMap { suggestion in
            var rest = suggestion
            for window in windows where window.from <= rest.from {
                rest.from = max(rest.from, min(window.through, rest.to))
            }
            return rest.from < rest.to ? rest : nil
        }
    }

    /// The parts that are not in the future.
    package static func clipped(_ suggestions: [Suggestion], now: Timestamp) -> [Suggestion] {
        suggestions.compactMap { suggestion in
            var past = suggestion
            past.to = min(past.to, now)
            return past.from < past.to ? past : nil
        }
    }
}

extension OutageDetection.Suggestion: JSONObjectWritable {
    /// `{"from","to","reasons":[…]}`.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("from", from)
        json.member("to", to)
        json.array("reasons", reasons.map(\.rawValue))
    }
}
