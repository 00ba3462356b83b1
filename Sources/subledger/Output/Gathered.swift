/// What was found, as many times as it was: findings that say the same, told once. A thousand equal
/// lines hide the one that is different.
public struct Gathered: Sendable, Equatable {
    /// What all of them say.
    public let text: String
    /// Where the first of them are, in order.
    public private(set) var places: [String]
    public private(set) var count: Int

    /// So many places are named.
    public static let placeCount = 3

    /// The findings by what they say, in the order in which each is met first.
    ///
    /// - Parameter findings: where each is, if it is anywhere, and what it says.
    public static func gather(_ findings: [(place: String?, text: String)]) -> [Gathered] {
        var indices: [String: Int] = [:]
        var found: [Gathered] = []
        for finding in findings {
            let index: Int
            if let known = indices[finding.text] {
                index = known
                found[index].count += 1
            } else {
                index = found.count
                indices[finding.text] = index
                found.append(Gathered(text: finding.text, places: [], count: 1))
            }
            if let place = finding.place, found[index].places.count < placeCount {
                found[index].places.append(place)
            }
        }
        return found
    }

    /// Where they are, e.g. `1, 2, 3 and 997 more`; empty where no place is named.
    public var placesText: String {
        guard !places.isEmpty else { return "" }
        let named = places.joined(separator: ", ")
        return count > places.count ? "\(named) and \(count - places.count) more" : named
    }
}
