public import AppStore
internal import Queries

/// A measured figure and the limit measured in the same run (`Contract.md`, `bench`).
public struct BenchRow: Sendable {
    public internal(set) var name: String
    /// Per second where the limit is a rate; nil where the measurement was impossible.
    public let value: Double?
    public let unit: String
    let limit: Limit?
    let events: Int64
    let peakMemoryMiB = PeakMemory.mebibytes
    /// Why there is no figure, in one sentence.
    var reason: String?

    /// The same work by other means, measured in the same run; in the unit of the figure.
    struct Limit: Sendable {
        let name: String
        let value: Double

        init(_ name: String, _ value: Double) {
            self.name = name
            self.value = value
        }
    }

    init(
        _ name: String, _ value: Double?, _ unit: String, against limit: Limit? = nil,
        events: some BinaryInteger
    ) {
        self.name = name
        self.value = value
        self.unit = unit
        self.limit = limit
        self.events = Int64(events)
    }

    /// A row without a figure.
    ///
    /// - Parameter reason: why it cannot be measured here.
    public init(_ name: String, _ unit: String, missing reason: String, events: Int64 = 0) {
        self.init(name, nil, unit, events: events)
        self.reason = reason
    }

    /// A time in milliseconds, measured in seconds as is its limit.
    static func milliseconds(
        _ name: String, _ seconds: Double, against limit: Limit? = nil, events: some BinaryInteger
    ) -> BenchRow {
        BenchRow(
            name, seconds * 1_000, "ms", against: limit.map { Limit($0.name, $0.value * 1_000) },
            events: events)
    }

    /// The figure as a share of the limit; nil without one.
    public var ratio: Double? {
        guard let value, let limit, limit.value > 0 else { return nil }
        return value / limit.value
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("value", value.map { BenchRow.rounded($0, places: 3) })
            json.member("unit", unit)
            json.member("limitName", limit?.name)
            json.member("limit", limit.map { BenchRow.rounded($0.value, places: 3) })
            json.member("ratio", ratio.map { BenchRow.rounded($0, places: 4) })
            json.member("events", events)
            json.member("peakMemoryMiB", BenchRow.rounded(peakMemoryMiB, places: 1))
            if let reason { json.member("reason", reason) }
        }
    }

    public var text: String {
        guard let value else {
            return "\(name.padding(to: 22)) not measured: \(reason ?? "")"
        }
        var line = "\(name.padding(to: 22)) \(BenchRow.figure(value)) \(unit)"
        if let limit, let ratio {
            line +=
                ", \(BenchRow.rounded(ratio, places: 2)) × \(limit.name)"
                + " (\(BenchRow.figure(limit.value)) \(unit))"
        }
        return line + "; \(events) events, peak \(Int(peakMemoryMiB.rounded())) MiB"
    }

    /// Keeps decimal places of small figures.
    private static func figure(_ value: Double) -> String {
        value < 100 ? String(rounded(value, places: 2)) : String(Int(value.rounded()))
    }

    private static func rounded(_ value: Double, places: Int) -> Double {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        return (value * scale).rounded() / scale
    }
}
