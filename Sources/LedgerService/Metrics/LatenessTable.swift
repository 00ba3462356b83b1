import AppStore
import Ledger

/// How long notifications took from Apple's signature to here, by when Apple signed them. A delivery
/// that came while nothing else could is an outage's; repetitions are not counted.
struct LatenessTable: Sendable {
    private let question: RollForwardQuestion
    private let isByApp: Bool
    private let apps: Set<String?>?
    private var found: [Cell: [Int64]] = [:]

    private struct Cell: Hashable {
        var interval: Int
        var app: String?
    }

    /// - Parameter apps: nil: all.
    init(instants: [Timestamp], isByApp: Bool, apps: Set<String?>?) {
        question = RollForwardQuestion(.chains, instants: instants)
        self.isByApp = isByApp
        self.apps = apps
    }

    static let columns: [CountColumn] =
        [
            CountColumn(name: "notifications", unit: .count),
            CountColumn(name: "late", unit: .count),
        ]
        + ["p50", "p90", "p99", "longest"].map { CountColumn(name: $0, unit: .milliseconds) }

    mutating func add(_ fact: Fact, of app: BundleId) {
        guard fact.cause.kind == .notification, let signed = fact.signedDate,
            let interval = question.interval(of: signed),
            apps.map({ $0.contains(app.rawValue) }) ?? true
        else { return }
        let cell = Cell(interval: interval, app: isByApp ? app.rawValue : nil)
        // Clocks differ; nothing arrives before it is signed.
        found[cell, default: []].append(max(0, fact.receivedAt.milliseconds(since: signed)))
    }

    mutating func add(_ other: LatenessTable) {
        found.merge(other.found, uniquingKeysWith: +)
    }

    /// One row for each interval, or for each app of it.
    func rows() -> [MetricReport.Row] {
        var byInterval: [Int: [Cell]] = [:]
        for cell in found.keys { byInterval[cell.interval, default: []].append(cell) }
        return question.instants.indices.dropLast().flatMap { interval in
            let cells = (byInterval[interval] ?? []).sorted {
                RollForwardQuestion.precedes([$0.app], [$1.app])
            }
            let asked = cells.isEmpty && !isByApp ? [Cell(interval: interval, app: nil)] : cells
            return asked.map { cell in
                MetricReport.Row(
                    from: question.instants[interval], to: question.instants[interval + 1],
                    group: isByApp ? [cell.app] : [], amounts: amounts(found[cell] ?? []))
            }
        }
    }

    private func amounts(_ delays: [Int64]) -> [String: Int64] {
        let sorted = delays.sorted()
        guard let longest = sorted.last else { return [:] }
        // The nearest rank: the smallest delay that so many percent did not exceed.
        func rank(_ percent: Int) -> Int64 {
            sorted[max(0, (sorted.count * percent + 99) / 100 - 1)]
        }
        return [
            "notifications": Int64(sorted.count),
            "late": Int64(sorted.count { $0 > NoticeLimits.lateDeliveryMilliseconds }),
            "p50": rank(50), "p90": rank(90), "p99": rank(99), "longest": longest,
        ]
    }
}
