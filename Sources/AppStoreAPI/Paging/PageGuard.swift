import AppStore
import Signing

/// Detects pages that form a cycle or bring nothing new. Pure.
struct PageGuard: Sendable {
    /// Digests of the next-page tokens so far.
    private var places: Set<Digest> = []
    /// Digests of the pages' items so far.
    private var contents: Set<Digest> = []
    private(set) var pageCount = 0
    /// Number of consecutive pages without new items.
    private(set) var barrenCount = 0
    /// Most pages of one walk.
    let longestWalk: Int

    init(longestWalk: Int = APILimits.pageCount) { self.longestWalk = longestWalk }

    /// Records a page that is followed by another; returns the reason not to request that one, or
    /// nil.
    mutating func objection(to page: some PagedResponse) -> String? {
        pageCount += 1
        guard let place = page.nextPlace, !place.isEmpty else {
            return "A page announces another without a token."
        }
        guard places.insert(SHA256.hash(Array(place.utf8))).inserted else {
            return "A page refers back to an earlier one."
        }
        let isNew = contents.insert(PageGuard.content(page.signedItems)).inserted
        barrenCount = isNew && !page.signedItems.isEmpty ? 0 : barrenCount + 1
        if barrenCount >= APILimits.barrenPageCount {
            return "\(barrenCount) consecutive pages have no new items."
        }
        if pageCount >= longestWalk { return "There are more than \(pageCount) pages." }
        return nil
    }

    /// A digest of the payloads; signatures may differ between responses.
    private static func content(_ items: [String]) -> Digest {
        var hasher = SHA256Hasher()
        for var item in items {
            item.withUTF8 { text in
                let dot = UInt8(ascii: ".")
                guard let first = text.firstIndex(of: dot), let last = text.lastIndex(of: dot),
                    first < last
                else { return hasher.update(text) }
                hasher.update(UnsafeBufferPointer(rebasing: text[(first + 1)..<last]))
            }
            hasher.update([0])
        }
        return hasher.finish()
    }
}
