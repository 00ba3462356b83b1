internal import AppStore
public import Ledger
public import LedgerStore

/// A bytewise comparison of two facts files, to check that stored facts equal those decoded from
/// the log.
public struct FactsComparison: Sendable {
    private let position: Int64

    /// Compares facts up to `position`; one file may be further ahead.
    public init(through position: Int64) { self.position = position }

    /// Passes on, one by one in chain order, the chains of which the files hold different facts, or
    /// of which only one file holds any.
    ///
    /// Throws the errors of reading either file.
    public func run(
        _ left: FactsStore, _ right: FactsStore, _ found: (ChainId) -> Void
    ) async throws(StoreError) {
        var (one, two) = (Walk(store: left), Walk(store: right))
        var (first, second) = (try await one.next(position), try await two.next(position))
        while first != nil || second != nil {
            guard let mine = first, let other = second, mine.chain == other.chain else {
                // The smaller chain is missing in the other file.
                let isLeft = second.map { other in first.map { $0.chain < other.chain } ?? false }
                if isLeft ?? true, let mine = first {
                    found(mine.chain)
                    first = try await one.next(position)
                } else if let other = second {
                    found(other.chain)
                    second = try await two.next(position)
                }
                continue
            }
            if mine.bytes != other.bytes { found(mine.chain) }
            first = try await one.next(position)
            second = try await two.next(position)
        }
    }

    private struct Walk {
        let store: FactsStore
        private var page: [(chain: ChainId, bytes: [UInt8])] = []
        private var index = 0
        private var after: OriginalTransactionId?
        private var isAtEnd = false

        init(store: FactsStore) { self.store = store }

        mutating func next(
            _ position: Int64
        ) async throws(StoreError) -> (chain: ChainId, bytes: [UInt8])? {
            while index == page.count, !isAtEnd {
                let read = try await store.undecodedPage(after: after)
                page = read?.stored(through: position) ?? []
                after = read?.last ?? after
                index = 0
                isAtEnd = read == nil
            }
            guard index < page.count else { return nil }
            defer { index += 1 }
            return page[index]
        }
    }
}
