public import AppStore

/// Sees from when notifications came, and when they did not, where some may be missing. Pure.
public enum OutageDetection {
    /// A window to look into, and why.
    public struct Suggestion: Hashable, Sendable {
        public var from: Timestamp
        public var to: Timestamp
        /// In order of their names, each once.
        public var reasons: [Reason]

        /// A window.
        public init(from: Timestamp, to: Timestamp, reasons: [Reason]) {
            self.from = from
            self.to = to
            self.reasons = reasons
        }
    }

    /// What was asked for to its end, by signedDate: `[from, through)`.
    public struct Swept: Hashable, Sendable {
        public var from: Timestamp
        public var through: Timestamp

        /// A window that was swept.
        public init(from: Timestamp, through: Timestamp) {
            self.from = from
            self.through = through
        }
    }

    /// Why a window is suspected.
    public enum Reason: String, Sendable, CaseIterable {
        /// Apple says that it could not deliver.
        case failedDeliveries
        /// Many came so late that Apple must have tried before.
        case lateDeliveries
        /// Nothing came for longer than is usual.
        case silence
    }

    /// How far back is looked.
    public static let lookBackMilliseconds: Int64 = 14 * 86_400_000
    /// Deliveries looked at, the newest.
    public static let arrivalCount = 1_000_000
    /// No shorter silence is suspicious …
    public static let shortestSilenceMilliseconds: Int64 = 3_600_000
    /// … nor one shorter than so many times the usual longest: the 99th of a hundred gaps.
    public static let silenceFactor: Int64 = 5
    static let percentile = 99
    /// From this lateness on a delivery counts as late (`lifecycle.md` §4, `lateDelivery`).
    public static let latenessMilliseconds: Int64 = 10 * 60_000
    /// So many late ones, each signed within `clusterMilliseconds` of the next, are no coincidence.
    public static let clusterCount = 5
    public static let clusterMilliseconds: Int64 = 3_600_000
    /// What was signed so long before a silence may have been on its way when it began.
    public static let marginMilliseconds: Int64 = 10 * 60_000

    /// Windows that the deliveries make suspicious, in order of time, none touching another, none
    /// ending after `now`.
    ///
    /// - Parameters:
    ///   - arrivals: in any order; those after `now` count for nothing.
    ///   - now: until when nothing came after the last.
    ///   - swept: what was looked into already. A silence of which less is left than what makes a
    ///     silence is none; of the others their beginnings are left out.
    public static func suggestions(
        _ arrivals: [NotificationDelivery], now: Timestamp, swept: [Swept] = []
    ) -> [Suggestion] {
        let past = arrivals.filter { $0.receivedAt <= now }
        let quiet = silences(past.map(\.receivedAt).sorted(), now: now, swept)
        return merged(clipped(quiet + open(late(past), swept), now: now))
    }

    /// Windows of notifications that Apple could not deliver.
    ///
    /// - Parameter signedDates: theirs, in any order.
    public static func suggestions(undelivered signedDates: [Timestamp]) -> [Suggestion] {
        clusters(signedDates.sorted()).map { cluster in
            Suggestion(from: cluster.0, to: cluster.1, reasons: [.failedDeliveries])
        }
    }

    // MARK: Silence

    private static func silences(
        _ received: [Timestamp], now: Timestamp, _ swept: [Swept]
    ) -> [Suggestion] {
        guard let last = received.last else { return [] }
        var gaps = zip(received, received.dropFirst()).map { one, next in
            (from: one, to: next, length: next.milliseconds(since: one))
        }
        if now > last { gaps.append((last, now, now.milliseconds(since: last))) }
        let lengths = gaps.map(\.length).sorted()
        return gaps.compactMap { gap in
            // Most gaps are short, and finding their place among all others takes long.
            guard gap.length > shortestSilenceMilliseconds else { return nil }
            let bound = max(
                shortestSilenceMilliseconds, silenceFactor * usual(lengths, without: gap.length))
            let margin = gap.from.advanced(byMilliseconds: -marginMilliseconds)
            let open = rest(margin, gap.from, gap.to, swept)
            // What was swept of it was quiet at Apple's, too.
            guard gap.length > bound, gap.to.milliseconds(since: open.quiet) > bound else {
                return nil
            }
            return Suggestion(from: open.begin, to: gap.to, reasons: [.silence])
        }
    }

    /// Where what is not swept of a silence begins, with its margin and without.
    private static func rest(
        _ margin: Timestamp, _ from: Timestamp, _ to: Timestamp, _ swept: [Swept]
    ) -> (begin: Timestamp, quiet: Timestamp) {
        var (begin, quiet) = (margin, from)
        for window in swept.sorted(by: { $0.from < $1.from }) where window.from <= quiet {
            begin = max(begin, min(window.through, to))
            quiet = max(quiet, begin)
        }
        return (begin, quiet)
    }

    /// The 99th percentile of the gaps but one, which must not excuse itself; 0 without others.
    private static func usual(_ sorted: [Int64], without length: Int64) -> Int64 {
        let count = sorted.count - 1
        guard count > 0 else { return 0 }
        let rank = (count * percentile + 99) / 100 - 1
        // Everything from the one left out on moves down by a place.
        let own = sorted.firstIndex(of: length) ?? count
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

    /// Times that lie close together: from the first to just past the last, and how many.
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

    // MARK: Together

    /// Windows that touch become one.
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

    /// From the first window's beginning to the last one's end; nil without any.
    public static func hull(_ suggestions: [Suggestion]) -> Suggestion? {
        let all = merged(suggestions)
        guard let first = all.first, let end = all.map(\.to).max() else { return nil }
        return Suggestion(
            from: first.from, to: end,
            reasons: Set(all.flatMap(\.reasons)).sorted { $0.rawValue < $1.rawValue })
    }

    /// The windows of which Apple's history still tells something, and those that ended before it
    /// begins.
    public static func parted(
        _ suggestions: [Suggestion], now: Timestamp, in environment: Environment
    ) -> (told: [Suggestion], tooOld: [Suggestion]) {
        let oldest = now.advanced(
            byMilliseconds: -NotificationHistory.milliseconds(in: environment))
        return (suggestions.filter { $0.to > oldest }, suggestions.filter { $0.to <= oldest })
    }

    /// What was not swept to its end already.
    package static func open(_ suggestions: [Suggestion], _ swept: [Swept]) -> [Suggestion] {
        let windows = swept.sorted { $0.from < $1.from }
        return suggestions.compactMap { suggestion in
            var rest = suggestion
            for window in windows where window.from <= rest.from {
                rest.from = max(rest.from, min(window.through, rest.to))
            }
            return rest.from < rest.to ? rest : nil
        }
    }

    /// What of them is not in the future.
    package static func clipped(_ suggestions: [Suggestion], now: Timestamp) -> [Suggestion] {
        suggestions.compactMap { suggestion in
            var past = suggestion
            past.to = min(past.to, now)
            return past.from < past.to ? past : nil
        }
    }
}

extension OutageDetection.Suggestion {
    /// `{"from","to","reasons":[…]}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("from", from)
            json.member("to", to)
            json.array("reasons", reasons.map(\.rawValue))
        }
    }
}
