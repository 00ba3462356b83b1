public import AppStore
public import LedgerStore

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

    /// Windows that the deliveries make suspicious, in order of time, none touching another.
    ///
    /// - Parameters:
    ///   - arrivals: in any order.
    ///   - now: until when nothing came after the last.
    public static func suggestions(
        _ arrivals: [EventLog.Arrival], now: Timestamp
    ) -> [Suggestion] {
        merged(silences(arrivals.map(\.receivedAt).sorted(), now: now) + late(arrivals))
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

    private static func silences(_ received: [Timestamp], now: Timestamp) -> [Suggestion] {
        guard let last = received.last else { return [] }
        var gaps = zip(received, received.dropFirst()).map { one, next in
            (from: one, to: next, length: next.milliseconds(since: one))
        }
        if now > last { gaps.append((last, now, now.milliseconds(since: last))) }
        let lengths = gaps.map(\.length).sorted()
        return gaps.filter { gap in
            gap.length > shortestSilenceMilliseconds
                && gap.length > silenceFactor * usual(lengths, without: gap.length)
        }.map { gap in
            Suggestion(
                from: gap.from.advanced(byMilliseconds: -marginMilliseconds), to: gap.to,
                reasons: [.silence])
        }
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

    private static func late(_ arrivals: [EventLog.Arrival]) -> [Suggestion] {
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

    /// Those that are not certain to be complete already.
    static func open(
        _ suggestions: [Suggestion], from: Timestamp?, through: Timestamp?
    ) -> [Suggestion] {
        guard let from, let through else { return suggestions }
        return suggestions.compactMap { suggestion in
            var rest = suggestion
            if suggestion.from >= from { rest.from = max(suggestion.from, min(through, rest.to)) }
            return rest.from < rest.to ? rest : nil
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
