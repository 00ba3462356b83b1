internal import Queries
import Synchronization

/// One counter, gauge or histogram with its labels.
final class MetricSeries: Sendable {
    /// The metric type, as exported.
    enum Kind: Sendable {
        case counter
        case gauge
        /// Upper bounds of the buckets, ascending.
        case histogram([Double])

        var name: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    let kind: Kind
    let labels: [(String, String)]
    private let state: Mutex<State>

    private struct State {
        var value = 0.0
        var count: UInt64 = 0
        /// Observations in each bucket, the last one without a bound.
        var buckets: [UInt64]
    }

    init(_ kind: Kind, labels: [(String, String)]) {
        self.kind = kind
        self.labels = labels
        let bounds: [Double] = if case .histogram(let bounds) = kind { bounds } else { [] }
        state = Mutex(State(buckets: [UInt64](repeating: 0, count: bounds.count + 1)))
    }

    // MARK: Measuring

    /// Adds to a counter.
    func add(_ amount: Int64 = 1) { state.withLock { $0.value += Double(amount) } }
    /// Sets a gauge.
    func set(_ value: Double) { state.withLock { $0.value = value } }
    /// Raises a gauge to at least `value`; a higher current value stays.
    func raise(to value: Double) { state.withLock { $0.value = max($0.value, value) } }

    /// Counts an observation of a histogram.
    func record(_ value: Double) {
        guard case .histogram(let bounds) = kind else { return set(value) }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.value += value
            state.count += 1
            state.buckets[bucket] += 1
        }
    }

    func record(_ elapsed: Duration) { record(elapsed / .seconds(1)) }

    // MARK: Exporting

    /// Lines of the Prometheus text format 0.0.4.
    func write(name: String, to text: inout String) {
        let state = state.withLock { $0 }
        guard case .histogram(let bounds) = kind else {
            text += "\(name)\(MetricSeries.labelled(labels)) \(MetricSeries.number(state.value))\n"
            return
        }
        var total: UInt64 = 0
        for (index, count) in state.buckets.enumerated() {
            total += count
            let bound = index < bounds.count ? MetricSeries.number(bounds[index]) : "+Inf"
            let all = MetricSeries.labelled(labels + [("le", bound)])
            text += "\(name)_bucket\(all) \(total)\n"
        }
        let all = MetricSeries.labelled(labels)
        text += "\(name)_sum\(all) \(MetricSeries.number(state.value))\n"
        text += "\(name)_count\(all) \(state.count)\n"
    }

    private static func labelled(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.map { name, value in
            let escaped = value.replacing(ascii: "\\", with: "\\\\")
                .replacing(ascii: "\"", with: "\\\"").replacing(ascii: "\n", with: "\\n")
            return "\(name)=\"\(escaped)\""
        }
        return "{\(pairs.joined(separator: ","))}"
    }

    private static func number(_ value: Double) -> String {
        let whole = Int64(exactly: value)
        return whole.map { String($0) } ?? String(value)
    }
}
