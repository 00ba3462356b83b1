import AppStore
import Ledger

/// The text parameters of one cell of a report, shared by the command line and HTTP.
public struct CellParameters: Sendable {
    /// The beginning of the cell's interval, as a row states it: a day of the zone, or a time.
    public var from: String?
    /// Its end, exclusive; nil: one `interval` after the beginning.
    public var to: String?
    /// Nil: month.
    public var interval: String?
    /// Nil: the configured report zone.
    public var timeZone: String?
    /// The name of a column.
    public var column: String
    /// `dimension=value` for each dimension of the cell's row, in any order; for money also the
    /// currency. An empty value selects the row that states none. Empty: the total.
    public var group: [String] = []
    /// `dimension=value`, as of the report.
    public var filters: [String] = []

    public init(column: String) { self.column = column }

    /// The interval, dimensions and filters; the instants are the two bounds.
    func scope(
        _ reportZone: String, limit: Timestamp, _ dimensions: [String]
    ) throws(MetricsError) -> MetricScope {
        var parameters = MetricParameters()
        (parameters.from, parameters.to) = (from, to)
        (parameters.interval, parameters.timeZone) = (interval, timeZone)
        (parameters.by, parameters.filters) = (dimensions, filters)
        let scope = try parameters.scope(reportZone, limit: limit, first: to == nil ? 1 : .max)
        let bounds = scope.instants
        return MetricScope(
            zone: scope.zone, interval: scope.interval,
            instants: [bounds.first, bounds.last].compactMap(\.self),
            dimensions: scope.dimensions, filters: scope.filters)
    }

    /// The values of the group's dimensions, in the order given.
    func values() throws(MetricsError) -> [(dimension: Dimension, value: String?)] {
        var found: [(dimension: Dimension, value: String?)] = []
        for text in group {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw .invalidGroup("One entry has no =.") }
            let name = String(parts[0])
            guard let dimension = Dimension(rawValue: name) else { throw .unknownDimension(name) }
            guard !found.contains(where: { $0.dimension == dimension }) else {
                throw .duplicateDimension(name)
            }
            let value = String(parts[1])
            if !value.isEmpty { try MetricParameters.check(value, of: dimension) }
            found.append((dimension, value.isEmpty ? nil : value))
        }
        return found
    }
}
