/// Findings with the same text, merged into one with their count and first places. A thousand equal
/// lines would hide a different one.
public struct GroupedMessages: Sendable, Equatable {
    /// The common text.
    public let text: String
    /// The places of the first findings, in order.
    public let places: [String]
    public let count: Int

    /// Maximum number of listed places.
    public static let placeCount = 3

    /// Groups findings by text, in order of first appearance.
    ///
    /// - Parameter findings: the place, if any, and the text of each.
    public static func gather(_ findings: [(place: String?, text: String)]) -> [GroupedMessages] {
        let groups = Dictionary(grouping: findings) { $0.text }
        var seen: Set<String> = []
        return findings.compactMap { finding -> GroupedMessages? in
            guard seen.insert(finding.text).inserted, let same = groups[finding.text] else {
                return nil
            }
            let places = same.compactMap(\.place).prefix(placeCount)
            return GroupedMessages(text: finding.text, places: Array(places), count: same.count)
        }
    }

    /// The places, e.g. `1, 2, 3 and 997 more`; empty without places.
    public var placesText: String {
        guard !places.isEmpty else { return "" }
        let named = places.joined(separator: ", ")
        return count > places.count ? "\(named) and \(count - places.count) more" : named
    }
}
