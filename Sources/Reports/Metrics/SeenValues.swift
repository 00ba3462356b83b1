import AppStore
import Ledger
import LedgerStore
internal import Queries
internal import SQLiteStore

/// Under which of a question's filter values anything was ever seen, and whether a group may be in
/// two rows: so that a misspelt value is not taken for a figure of 0.
struct SeenValues: Sendable {
    private let filters: [Dimension: Set<String?>]
    /// The catalogue's names of groups; nil where groups are not asked about, or it names none.
    private let groups: Set<String>?
    private var found: [Dimension: Set<String?>] = [:]
    private var hasOtherGroups = false

    /// Of a question without filters and groups.
    init() { (filters, groups) = ([:], nil) }

    init(
        _ dimensions: [Dimension], _ filters: [Dimension: Set<String?>], _ catalogue: Catalogue
    ) {
        // Reasons are no values of a period; the words of a question list them all.
        self.filters = filters.filter { $0.key != .reason }
        let isByGroup = dimensions.contains(.group) || filters[.group] != nil
        let names = Set(catalogue.products.values.compactMap(\.group))
        groups = isByGroup && !names.isEmpty ? names : nil
    }

    /// Whether there is nothing to look for.
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
    /// Notes every class that any chain was ever counted under, whatever was known when.
    func noteClasses(_ seen: inout SeenValues) async throws(MetricsError) {
        guard !seen.isIdle else { return }
        do throws(StoreError) {
            for counted in try await query.projections.metricClasses().classes
            where bundleId == nil || counted.values.app == bundleId {
                seen.note(counted.values)
            }
        } catch {
            throw .store(error)
        }
    }
}
