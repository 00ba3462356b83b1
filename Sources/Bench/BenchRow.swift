public import AppStore
internal import Queries

/// A measured figure and the limit measured in the same run (`Contract.md`, `bench`).
public struct BenchRow: Sendable {
    public internal(set) var name: String
    /// Per second where the limit is a rate; nil where the measurement was impossible.
    public let value: Double?
    public let unit: String
    public let limitName: String?
    public let limit: Double?
    public let events: Int
    public let peakMemoryMiB: Double
    /// Why there is no figure, in one sentence.
    public let reason: String?

    /// - Parameter reason: why the figure cannot be measured here; nil where it was.
    public init(
        name: String, value: Double? = nil, unit: String, limitName: String? = nil,
        limit: Double? = nil, missing reason: String? = nil, events: Int
    ) {
        self.name = name
        self.value = value
        self.unit = unit
        self.limitName = limitName
        self.limit = limit
        self.events = events
        peakMemoryMiB = PeakMemory.mebibytes
        self.reason = reason
    }

    /// The figure as a share of the limit; nil without one.
    public var ratio: Double? {
        guard let value, let limit, limit > 0 else { return nil }
        return value / limit
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("value", value.map { BenchRow.rounded($0, places: 3) })
            json.member("unit", unit)
            json.member("limitName", limitName)
            json.member("limit", limit.map { BenchRow.rounded($0, places: 3) })
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
        if let limit, let limitName, let ratio {
            line +=
                ", \(BenchRow.rounded(ratio, places: 2)) × \(limitName)"
                + " (\(BenchRow.figure(limit)) \(unit))"
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
