import Synchronization

/// All metrics of the service, exported as Prometheus text. Series live as long as the process: a
/// counter must not restart from zero. Gauges that a scrape measures live until the next one.
final class MetricRegistry: Sendable {
    private let families = Mutex<[String: Family]>([:])

    private struct Family {
        let kind: MetricSeries.Kind
        /// By names and values of the labels, in turn.
        var series: [[String]: MetricSeries] = [:]
    }

    /// Series per name; further ones share one without labels, so that no client can make this grow
    /// without bound.
    static let maximumSeriesCount = 512
    /// Histogram bounds in seconds, from the time of one signature to that of a stalled disk.
    static let secondsBounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// Histogram bounds in seconds from Apple's signature to the arrival here. Apple retries after
    /// 1, 12, 24, 48 and 72 hours, each after the attempt before, so 1, 13, 37, 85 and 157 hours
    /// after the first: each retry counts in a bucket of its own.
    static let latenessBounds: [Double] = [
        1, 5, 30, 60, 600, 3_600, 46_800, 133_200, 306_000, 565_200,
    ]

    private func series(
        _ kind: MetricSeries.Kind, _ name: String, _ labels: [(String, String)]
    ) -> MetricSeries {
        let key = labels.flatMap { [$0.0, $0.1] }
        return families.withLock { families in
            if let known = families[name]?.series[key] { return known }
            var family = families[name] ?? Family(kind: kind)
            defer { families[name] = family }
            let isRoom = family.series.count < MetricRegistry.maximumSeriesCount
            if !isRoom, let known = family.series[[]] { return known }
            let made = MetricSeries(family.kind, labels: isRoom ? labels : [])
            family.series[isRoom ? key : []] = made
            return made
        }
    }

    func counter(_ name: String, _ labels: [(String, String)] = []) -> MetricSeries {
        series(.counter, name, labels)
    }

    func gauge(_ name: String, _ labels: [(String, String)] = []) -> MetricSeries {
        series(.gauge, name, labels)
    }

    /// Sets the gauges that a scrape measured, and removes those of the same labels that it could
    /// not measure: their old value would pass for a current one.
    func measured(_ gauges: [(name: String, value: Double)], _ labels: [(String, String)]) {
        for (name, value) in gauges { gauge(name, labels).set(value) }
        let key = labels.flatMap { [$0.0, $0.1] }
        let names = Set(gauges.map(\.name))
        families.withLock { families in
            for (name, family) in families where !names.contains(name) {
                guard case .gauge = family.kind, family.series[key] != nil else { continue }
                families[name]?.series[key] = nil
            }
        }
    }

    func histogram(
        _ name: String, _ labels: [(String, String)] = [], bounds: [Double] = secondsBounds
    ) -> MetricSeries { series(.histogram(bounds), name, labels) }

    // MARK: Exporting

    /// The Prometheus text format 0.0.4, in a stable order.
    func text() -> String {
        let families = families.withLock { $0 }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key })
        where !family.series.isEmpty {
            if let meaning = MetricMeaning.texts[name] { text += "# HELP \(name) \(meaning)\n" }
            text += "# TYPE \(name) \(family.kind.name)\n"
            let ordered = family.series.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            for (_, series) in ordered {
                series.write(name: name, to: &text)
            }
        }
        return text
    }
}
