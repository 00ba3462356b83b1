public import Ledger

/// A place in the feed, for one chain: an event about several chains changes each of them at one
/// place.
public struct ChainPlace: Hashable, Comparable, Sendable {
    public let place: ChangePlace
    public let chain: ChainId

    public init(place: ChangePlace, chain: ChainId) {
        self.place = place
        self.chain = chain
    }

    /// The order of the feed.
    public static func < (left: ChainPlace, right: ChainPlace) -> Bool {
        (left.place, left.chain) < (right.place, right.chain)
    }
}
