/// Findings with the same text, merged into one with their count and first places. A thousand equal
/// lines would hide a different one.
public struct GroupedMessages: Sendable, Equatable {
    /// The common text.
    public let text: String
    /// The places of the first findings, in order.
    public private(set) var places: [String]
    public private(set) var count: Int

    /// Maximum number of listed places.
    public static let placeCount = 3

    /// Groups findings by text, in order of first appearance.
    ///
    /// - Parameter findings: the place, if any, and the text of each.
    public static func gather(_ findings: [(place: String?, text: String)]) -> [GroupedMessages] {
        var indices: [String: Int] = [:]
        var found: [GroupedMessages] = []
        for finding in findings {
            let index: Int
            if let known = indices[finding.text] {
                index = known
                found[index].count += 1
            } else {
                index = found.count
                indices[finding.text] = index
                found.append(GroupedMessages(text: finding.text, places: [], count: 1))
            }
            if let place = finding.place, found[index].places.count < placeCount {
                found[index].places.append(place)
            }
        }
        return found
    }

    /// The places, e.g. `1, 2, 3 and 997 more`; empty without places.
    public var placesText: String {
        guard !places.isEmpty else { return "" }
        let named = places.joined(separator: ", ")
        return count > places.count ? "\(named) and \(count - places.count) more" : named
    }
}
