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
        let past = arrivals.filter { $0.receivedAt <= now }
        let quiet = silences(past.map(\.receivedAt).sorted(), now: now, swept)
        return merged(clipped(quiet + open(late(past), swept), now: now))
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

    private static func silences(
        _ received: [Timestamp], now: Timestamp, _ swept: [CompleteWindow]
    ) -> [Suggestion] {
        guard let last = received.last else { return [] }
        var gaps = zip(received, received.dropFirst()).map { one, next in
            (from: one, to: next, length: next.milliseconds(since: one))
        }
        if now > last { gaps.append((last, now, now.milliseconds(since: last))) }
        let lengths = gaps.map(\.length).sorted()
        return gaps.compactMap { gap in
            // Most gaps are short, and finding their rank is slow.
            guard gap.length > shortestSilenceMilliseconds else { return nil }
            let bound = max(
                shortestSilenceMilliseconds, silenceFactor * usual(lengths, without: gap.length))
            let margin = gap.from.advanced(byMilliseconds: -marginMilliseconds)
            let open = rest(margin, gap.from, gap.to, swept)
            // No notification is missing from a swept part.
            guard gap.length > bound, gap.to.milliseconds(since: open.quiet) > bound else {
                return nil
            }
            return Suggestion(from: open.begin, to: gap.to, reasons: [.silence])
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

    private static func late(_ arrivals: [NotificationDelivery]) -> [Suggestion] {
        let signed = arrivals.filter {
            $0.receivedAt.milliseconds(since: $0.signedAt) > latenessMilliseconds
        }.map(\.signedAt).sorted()
        return clusters(signed).filter { $0.2 >= clusterCount }.map { cluster in
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
            if let last = found.last, time.milliseconds(since: last.1) <= clusterMilliseconds {
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
    public static func parted(
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
