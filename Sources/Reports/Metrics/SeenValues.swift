import Ledger
import LedgerStore
internal import Projection
internal import Queries
internal import SQLiteStore

/// The filter values of a question that occurred anywhere, and whether a group may have two rows;
/// distinguishes a misspelt value from a figure of 0.
struct SeenValues: Sendable {
    private let filters: [Dimension: Set<String?>]
    /// The catalogue's group names; nil where the question has no groups, or the catalogue none.
    private let groups: Set<String>?
    private var found: [Dimension: Set<String?>] = [:]
    private var hasOtherGroups = false

    /// For a question without filters and groups.
    init() { (filters, groups) = ([:], nil) }

    init(
        _ dimensions: [Dimension], _ filters: [Dimension: Set<String?>], _ catalogue: Catalogue
    ) {
        // Reasons are not values of a period, and their list is closed.
        self.filters = filters.filter { $0.key != .reason }
        let isByGroup = dimensions.contains(.group) || filters[.group] != nil
        let names = Set(catalogue.products.values.compactMap(\.group))
        groups = isByGroup && !names.isEmpty ? names : nil
    }

    /// Whether nothing needs to be recorded.
    var isIdle: Bool { filters.isEmpty && groups == nil }

    mutating func note(_ values: DimensionValues) {
        if let groups, let group = values.group, !groups.contains(group) { hasOtherGroups = true }
        for dimension in filters.keys {
            let value = values[dimension]
            if filters[dimension]?.contains(value) == true {
                found[dimension, default: []].insert(value)
            }
        }
    }

    mutating func add(_ other: SeenValues) {
        found.merge(other.found) { $0.union($1) }
        hasOtherGroups = hasOtherGroups || other.hasOtherGroups
    }

    var remarks: [MetricsRemark] {
        var remarks: [MetricsRemark] = []
        if filters.contains(where: { $0.value != found[$0.key] ?? [] }) {
            remarks.append(.nothingMatches)
        }
        if hasOtherGroups { remarks.append(.groupsApart) }
        return remarks
    }
}

extension MetricsQuery {
    /// Records every class under which any chain was ever counted, regardless of knowledge.
    func noteClasses(_ seen: inout SeenValues) async throws(MetricsError) {
        guard !seen.isIdle else { return }
        for counted in try await classes() { seen.note(counted.values) }
    }

    /// The classes of the requested app.
    func classes() async throws(MetricsError) -> [CountedClass] {
        do throws(StoreError) {
            return try await snapshot.projections.metricClasses().classes.filter {
                bundleId == nil || $0.values.app == bundleId
            }
        } catch {
            throw .store(error)
        }
    }
}
