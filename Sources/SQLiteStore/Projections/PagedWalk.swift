package import LedgerStore

/// Elements stored in an order, read a page at a time.
package struct PagedWalk<Element: Sendable, Place: Sendable>: Sendable {
    private let read: Read
    private var page: [Element] = []
    private var index = 0
    private var after: Place?
    private var isAtEnd = false

    /// Returns the page after a place (nil: the first one) and its last place; nil at the end.
    package typealias Read =
        @Sendable (_ after: Place?) async throws(StoreError) -> ([Element], Place)?

    package init(_ read: @escaping Read) { self.read = read }

    /// The next element; nil at the end, and before one that `isNext` rejects.
    package mutating func next(
        where isNext: (Element) -> Bool = { _ in true }
    ) async throws(StoreError) -> Element? {
        while index == page.count, !isAtEnd {
            let found = try await read(after)
            page = found?.0 ?? []
            after = found?.1 ?? after
            index = 0
            isAtEnd = found == nil
        }
        guard index < page.count, isNext(page[index]) else { return nil }
        defer { index += 1 }
        return page[index]
    }
}
