public import AppStore
public import Ledger
public import LedgerStore

/// Whole chains with their facts in stored form, in the order of the originalTransactionId.
public struct FactsPage: Sendable {
    /// The file that holds them.
    private let path: String
    private let names: [Int64: BundleId]
    private let erased: ErasedChains
    private var bodies: [UInt8] = []
    private var rows: [Row] = []
    private var starts: [Start] = []

    private struct Row: Sendable {
        let signedAt: Int64
        let position: Int64
        /// The index of the fact in its event.
        let part: Int64
        /// Where the body ends in `bodies`; it begins where the previous row ends.
        let end: Int
    }

    private struct Start: Sendable {
        let chain: OriginalTransactionId
        let app: Int64
        /// The chain's first row.
        let row: Int
    }

    /// - Parameter factCount: the number of facts to reserve memory for.
    init(
        of path: String, names: [Int64: BundleId], erased: ErasedChains,
        reserving factCount: Int
    ) {
        self.path = path
        self.names = names
        self.erased = erased
        rows.reserveCapacity(factCount)
        bodies.reserveCapacity(factCount * FactsPage.bodyByteCount)
    }

    /// The maximum size of a usual fact's body.
    private static let bodyByteCount = 288

    public var factCount: Int { rows.count }

    /// The last chain of the page: the next page continues after it.
    public var last: OriginalTransactionId? { starts.last?.chain }

    /// Adds the current row (chain, app, signed_at, position, part, body) of a statement; false
    /// when the page is full and the row begins another chain.
    mutating func add(_ select: PreparedStatement, limit: Int) -> Bool {
        let app = select.int64(1)
        let isSame =
            starts.last.map { $0.app == app && select.text(0, equals: $0.chain.rawValue) } ?? false
        if !isSame {
            let chain = OriginalTransactionId(select.text(0) ?? "")
            if rows.count >= limit, starts.last?.chain != chain { return false }
            starts.append(Start(chain: chain, app: app, row: rows.count))
        }
        select.withBytes(5) { bodies.append(contentsOf: $0) }
        rows.append(
            Row(
                signedAt: select.int64(2), position: select.int64(3), part: select.int64(4),
                end: bodies.count))
        return true
    }

    public var chainCount: Int { starts.count }

    /// The chains with their facts, by originalTransactionId, then bundle id.
    ///
    /// Throws `fileCorrupt` for a stored fact that cannot be read.
    public func chains() throws(StoreError) -> [(ChainId, [Fact])] {
        var chains: [(ChainId, [Fact])] = []
        chains.reserveCapacity(starts.count)
        try forEachChain(isForReduction: false) { chain, facts in chains.append((chain, facts)) }
        return chains
    }

    /// Passes the chains of `chains` to `body` one by one, for reduction: only one is decoded at a
    /// time, and its facts lack their notificationUUIDs.
    ///
    /// Throws `fileCorrupt` for a stored fact that cannot be read.
    public func forEachChain(_ body: (ChainId, [Fact]) -> Void) throws(StoreError) {
        try forEachChain(isForReduction: true, body)
    }

    private func forEachChain(
        isForReduction: Bool, _ body: (ChainId, [Fact]) -> Void
    ) throws(StoreError) {
        let recent = StringInterner()
        for index in chainOrder() {
            let end = index + 1 < starts.count ? starts[index + 1].row : rows.count
            let facts = try facts(starts[index].row..<end, recent, isForReduction)
            body(chain(index), erased.adding(to: chain(index), facts))
        }
    }

    private func chain(_ index: Int) -> ChainId {
        ChainId(
            bundleId: names[starts[index].app] ?? BundleId(""),
            originalTransactionId: starts[index].chain)
    }

    /// The indexes of the chains in chain order. Rows are ordered by app number, which is assigned
    /// in order of appearance; chains are ordered by bundle id.
    private func chainOrder() -> [Int] {
        let indices = Array(starts.indices)
        let isOrdered = zip(indices, indices.dropFirst()).allSatisfy { one, two in
            starts[one].chain != starts[two].chain || chain(one) < chain(two)
        }
        return isOrdered ? indices : indices.sorted { chain($0) < chain($1) }
    }

    /// The chains with their facts up to a position, as stored keys and bytes, in the order of
    /// `chains`.
    func stored(through position: Int64) -> [(chain: ChainId, bytes: [UInt8])] {
        starts.enumerated().map { index, start in
            let end = index + 1 < starts.count ? starts[index + 1].row : rows.count
            var bytes: [UInt8] = []
            for row in start.row..<end where rows[row].position <= position {
                let key = (rows[row].signedAt, rows[row].position, rows[row].part)
                withUnsafeBytes(of: key) { bytes.append(contentsOf: $0) }
                bytes.append(contentsOf: bodies[(row == 0 ? 0 : rows[row - 1].end)..<rows[row].end])
            }
            return (chain(index), bytes)
        }.filter { !$0.bytes.isEmpty }.sorted { $0.chain < $1.chain }
    }

    private func facts(
        _ range: Range<Int>, _ recent: StringInterner, _ isForReduction: Bool
    ) throws(StoreError) -> [Fact] {
        do {
            return try bodies.withUnsafeBytes { all in
                try range.map { index in
                    let begin = index == 0 ? 0 : rows[index - 1].end
                    return try FactCodec.decode(
                        UnsafeRawBufferPointer(rebasing: all[begin..<rows[index].end]),
                        position: rows[index].position, signedAt: rows[index].signedAt,
                        recent: recent, isForReduction: isForReduction)
                }
            }
        } catch { throw FactsStore.damaged.ofDerivedFile(path) }
    }
}

extension FactsStore {
    /// Compares the facts of two files up to `position` bytewise, to check that stored facts equal
    /// those decoded from the log; one file may be further ahead. Passes on, one by one in chain
    /// order, the chains of which the files hold different facts, or of which only one file holds
    /// any.
    ///
    /// Throws the errors of reading either file.
    public func compare(
        with other: FactsStore, through position: Int64, _ found: (ChainId) -> Void
    ) async throws(StoreError) {
        var (one, two) = (walk(through: position), other.walk(through: position))
        while let mine = try await one.next() {
            while let surplus = try await two.next(where: { $0.chain < mine.chain }) {
                found(surplus.chain)
            }
            let same = try await two.next(where: { $0.chain == mine.chain })
            if same?.bytes != mine.bytes { found(mine.chain) }
        }
        while let surplus = try await two.next() { found(surplus.chain) }
    }

    private typealias Walk = PagedWalk<(chain: ChainId, bytes: [UInt8]), OriginalTransactionId>

    private func walk(through position: Int64) -> Walk {
        Walk { [self] after async throws(StoreError) in
            guard let page = try await undecodedPage(after: after, hasErasures: true),
                let last = page.last
            else { return nil }
            return (page.stored(through: position), last)
        }
    }
}
