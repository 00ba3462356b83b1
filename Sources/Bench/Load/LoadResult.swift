struct LoadResult: Sendable {
    var requestCount = 0
    /// Responses other than 200.
    var failureCount = 0
    var seconds = 0.0
    /// Microseconds from the scheduled time of a request to the end of its response, sorted.
    var latencies: [UInt32] = []

    var perSecond: Double { seconds > 0 ? Double(requestCount) / seconds : 0 }

    func rate(
        _ name: String, _ unit: String, against limit: BenchRow.Limit? = nil
    ) -> BenchRow {
        row(name, perSecond, unit, against: limit)
    }

    /// The time within which this share of the requests was answered.
    func time(_ name: String, _ share: Double) -> BenchRow {
        guard !latencies.isEmpty else { return row(name, 0, "ms") }
        let index = Int((Double(latencies.count) * share).rounded(.up)) - 1
        let microseconds = latencies[min(max(index, 0), latencies.count - 1)]
        return row(name, Double(microseconds) / 1_000, "ms")
    }

    func row(
        _ name: String, _ value: Double, _ unit: String, against limit: BenchRow.Limit? = nil
    ) -> BenchRow {
        BenchRow(name, value, unit, against: limit, events: requestCount - failureCount)
    }
}
