import AppStore
import Signing

/// Tells pages that lead on from pages that go in a circle. Pure.
struct PageGuard: Sendable {
    /// Places a page has named so far, as digests.
    private var places: Set<Digest> = []
    /// What pages have held so far, as digests.
    private var contents: Set<Digest> = []
    private(set) var pageCount = 0
    /// Pages in a row that brought nothing new.
    private(set) var barrenCount = 0
    /// Pages of one walk.
    let longestWalk: Int

    init(longestWalk: Int = APILimits.pageCount) { self.longestWalk = longestWalk }

    /// Takes note of a page that another one follows; why not to ask for that one, or nil.
    mutating func objection(to page: some PagedResponse) -> String? {
        pageCount += 1
        guard let place = page.nextPlace, !place.isEmpty else {
            return "A page says that another follows, and not where."
        }
        guard places.insert(SHA256.hash(Array(place.utf8))).inserted else {
            return "A page leads back to an earlier one."
        }
        let isNew = contents.insert(PageGuard.content(page.signedItems)).inserted
        barrenCount = isNew && !page.signedItems.isEmpty ? 0 : barrenCount + 1
        if barrenCount >= APILimits.barrenPageCount {
            return "\(barrenCount) pages in a row bring nothing new."
        }
        if pageCount >= longestWalk { return "There are more than \(pageCount) pages." }
        return nil
    }

    /// A digest of the payloads: signatures may differ from one answer to the next.
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
