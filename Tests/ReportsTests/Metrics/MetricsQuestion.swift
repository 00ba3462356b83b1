import AppStore
import Ledger
import Simulator

@testable import Projection
@testable import Reports

/// A random query of a roll-forward.
struct MetricsQuestion {
    let question: RollForwardQuery
    let zone: ReportZone
    let now: Timestamp

    private static let dimensions = Dimension.allCases.filter { $0 != .reason }

    /// - Parameter zones: one of them is selected.
    init(_ chance: inout SeededGenerator, zones: [String]) throws {
        func pick<Value>(_ values: [Value]) throws -> Value {
            guard let value = values.randomElement(using: &chance) else {
                throw MetricsError.unknownMetric("")
            }
            return value
        }
        let zone = try ReportZone(try pick(zones)).orThrow()
        self.zone = zone
        // Between 2022 and the end of 2027: also before the newest fact, and long after it.
        let now = Timestamp(
            milliseconds: Int64.random(
                in: 1_650_000_000_000...1_830_000_000_000, using: &chance))
        self.now = now
        let interval = try pick(ReportInterval.allCases.filter { $0 != .hour })
        let days = Int64.random(
            in: 1...(interval == .day ? 120 : interval == .week ? 700 : 2_000), using: &chance)
        let span = days * 86_400_000
        var words = MetricParameters()
        let from = now.advanced(byMilliseconds: -span)
        words.from = String(from.rfc3339.prefix(10))
        if Int.random(in: 0..<3, using: &chance) == 0 {
            words.to = String(from.advanced(byMilliseconds: span / 2).rfc3339.prefix(10))
            if words.to == words.from { words.to = nil }
        }
        if Int.random(in: 0..<8, using: &chance) == 0 { words.from = from.rfc3339 }
        words.interval = interval.rawValue
        var by: [Dimension] = []
        for _ in 0..<Int.random(in: 0...2, using: &chance) {
            let dimension = try pick(Dimension.allCases)
            if !by.contains(dimension) { by.append(dimension) }
        }
        var filters: [Dimension: Set<String?>] = [:]
        switch Int.random(in: 0..<5, using: &chance) {
        case 0: filters[.phase] = ["standard", "trial"]
        case 1: filters[.country] = ["USA", "DEU", nil]
        case 2: filters[.reason] = ["voluntary", "billing"]
        default: break
        }
        question = RollForwardQuery(
            try pick(RollForwardQuery.Measure.allCases),
            instants: try words.instants(interval, zone, limit: now), dimensions: by,
            filters: filters)
    }
}

extension Optional {
    /// The value, or a test failure.
    fileprivate func orThrow() throws -> Wrapped {
        guard let value = self else { throw MetricsError.unknownMetric("") }
        return value
    }
}
