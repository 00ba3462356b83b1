import AppStore
import Ledger

/// The delay of notifications from Apple's signature to receipt, by time of signature. A delivery
/// that arrived after an outage counts towards the outage; repetitions are not counted.
struct LatenessTable: Summable {
    private let question: RollForwardQuery
    private let isByApp: Bool
    private let apps: Set<String?>?
    private var found: [RollForwardQuery.Cell: [Int64]] = [:]
    /// Of all deliveries, regardless of the requested range: when each arrived, and those that came
    /// late.
    private var arrivals: [BundleId: [Timestamp]] = [:]
    private var late: [BundleId: [NotificationDelivery]] = [:]

    /// - Parameter apps: nil: all.
    init(instants: [Timestamp], isByApp: Bool, apps: Set<String?>?) {
        question = RollForwardQuery(.chains, instants: instants)
        self.isByApp = isByApp
        self.apps = apps
    }

    /// The column of suspected outages.
    static let suspected = "suspectedOutages"

    static let columns: [CountColumn] =
        [.count("notifications"), .count("late"), .count(suspected)]
        + ["p50", "p90", "p99", "longest"].map { CountColumn(name: $0, unit: .milliseconds) }

    mutating func add(_ fact: Fact, of app: BundleId) {
        guard fact.cause.kind == .notification, let signed = fact.signedDate,
            let lateness = fact.lateness, apps.map({ $0.contains(app.rawValue) }) ?? true
        else { return }
        arrivals[app, default: []].append(fact.receivedAt)
        let delivery = NotificationDelivery(receivedAt: fact.receivedAt, signedAt: signed)
        if OutageDetection.isLate(delivery) { late[app, default: []].append(delivery) }
        guard let cell = cell(of: fact, app) else { return }
        // Clocks differ; nothing arrives before it is signed.
        found[cell, default: []].append(max(0, lateness))
    }

    /// The cell in which a delivery counts; nil if it does not count.
    func cell(of fact: Fact, _ app: BundleId) -> RollForwardQuery.Cell? {
        guard fact.cause.kind == .notification, fact.isArrivalKnown,
            let signed = fact.signedDate, apps.map({ $0.contains(app.rawValue) }) ?? true
        else { return nil }
        return cell(at: signed, app)
    }

    private func cell(at time: Timestamp, _ app: BundleId) -> RollForwardQuery.Cell? {
        question.interval(of: time).map {
            RollForwardQuery.Cell(interval: $0, key: isByApp ? [app.rawValue] : [])
        }
    }

    static func isLate(_ delayMilliseconds: Int64) -> Bool {
        delayMilliseconds > NoticeLimits.lateDeliveryMilliseconds
    }

    mutating func add(_ other: LatenessTable) {
        for (cell, delays) in other.found { found[cell, default: []] += delays }
        for (app, times) in other.arrivals { arrivals[app, default: []] += times }
        for (app, deliveries) in other.late { late[app, default: []] += deliveries }
    }

    // MARK: Outages

    /// Per app, the windows in which deliveries seem to be missing, detected as recovery does:
    /// unusually long silences, and many late deliveries together. Detection uses all known
    /// deliveries, so a row does not depend on the requested range; the result holds the windows
    /// that begin in that range.
    ///
    /// - Parameter limit: the earlier of now and knownAt; ends the silence after the last delivery.
    func outages(limit: Timestamp) -> [SuspectedOutage] {
        var outages: [SuspectedOutage] = []
        for (app, times) in arrivals {
            for window in OutageDetection.suggestions(times, late: late[app] ?? [], now: limit)
            where question.interval(of: window.from) != nil {
                outages.append(SuspectedOutage(app: app, window: window))
            }
        }
        return outages.sorted {
            ($0.window.from, $0.app.rawValue) < ($1.window.from, $1.app.rawValue)
        }
    }

    /// The cell of the interval in which a suspected outage begins; nil outside the requested
    /// range.
    func cell(of outage: SuspectedOutage) -> RollForwardQuery.Cell? {
        cell(at: outage.window.from, outage.app)
    }

    /// One row per interval, or per app and interval.
    func rows(_ outages: [SuspectedOutage]) -> [Report.Row] {
        var suspected: [RollForwardQuery.Cell: Int64] = [:]
        for cell in outages.compactMap({ cell(of: $0) }) { suspected[cell, default: 0] += 1 }
        let cells = Set(found.keys).union(suspected.keys)
        return question.ordered(cells, isWhole: !isByApp).map { cell in
            Report.Row(
                from: question.instants[cell.interval], to: question.instants[cell.interval + 1],
                group: cell.key, amounts: amounts(found[cell] ?? [], suspected[cell]))
        }
    }

    private func amounts(_ delays: [Int64], _ outages: Int64?) -> [String: Int64] {
        let suspected = outages.map { [LatenessTable.suspected: $0] } ?? [:]
        let sorted = delays.sorted()
        guard let longest = sorted.last else { return suspected }
        // Nearest rank: the smallest delay that this percentage did not exceed.
        func rank(_ percent: Int) -> Int64 {
            sorted[max(0, (sorted.count * percent + 99) / 100 - 1)]
        }
        let delayed = [
            "notifications": Int64(sorted.count),
            "late": Int64(sorted.count { LatenessTable.isLate($0) }),
            "p50": rank(50), "p90": rank(90), "p99": rank(99), "longest": longest,
        ]
        return delayed.merging(suspected) { $1 }
    }
}
