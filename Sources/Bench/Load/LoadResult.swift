struct LoadResult: Sendable {
    var requestCount = 0
    /// Responses other than 200.
    var failureCount = 0
    var seconds = 0.0
    /// Microseconds from the scheduled time of a request to the end of its response, sorted.
    var latencies: [UInt32] = []

    var perSecond: Double { seconds > 0 ? Double(requestCount) / seconds : 0 }

    /// Milliseconds within which this share of the requests was answered.
    func milliseconds(atShare share: Double) -> Double {
        guard !latencies.isEmpty else { return 0 }
        let index = Int((Double(latencies.count) * share).rounded(.up)) - 1
        return Double(latencies[min(max(index, 0), latencies.count - 1)]) / 1_000
    }
}
