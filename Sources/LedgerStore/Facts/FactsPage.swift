public import AppStore
public import Ledger

/// Whole chains with their facts in stored form, in the order of the originalTransactionId.
public struct FactsPage: Sendable {
    private let names: [Int64: BundleId]
    private var bodies: [UInt8] = []
    private var rows: [Row] = []
    private var starts: [Start] = []

    private struct Row: Sendable {
        let signedAt: Int64
        let position: Int64
        /// Where the body ends in `bodies`; it begins where the row before ends.
        let end: Int
    }

    private struct Start: Sendable {
        let chain: OriginalTransactionId
        let app: Int64
        /// The chain's first row.
        let row: Int
    }

    init(names: [Int64: BundleId]) { self.names = names }

    public var factCount: Int { rows.count }

    /// The last chain of the page: where the next one goes on.
    public var last: OriginalTransactionId? { starts.last?.chain }

    /// Adds the row (chain, app, signed_at, position, body) that a statement stands on; false when
    /// the page is full and the row begins another chain.
    mutating func add(_ select: BoundStatement, limit: Int) -> Bool {
        let app = select.int64(1)
        let isSame =
            starts.last.map { $0.app == app && select.text(0, equals: $0.chain.rawValue) } ?? false
        if !isSame {
            let chain = OriginalTransactionId(select.text(0) ?? "")
            if rows.count >= limit, starts.last?.chain != chain { return false }
            starts.append(Start(chain: chain, app: app, row: rows.count))
        }
        select.withBytes(4) { bodies.append(contentsOf: $0) }
        rows.append(
            Row(signedAt: select.int64(2), position: select.int64(3), end: bodies.count))
        return true
    }

    /// The chains with their facts, by originalTransactionId, then bundle id. (Apps are numbered as
    /// they were first seen; exports go by bundle id.)
    ///
    /// Throws `fileCorrupt` for a stored fact that cannot be read.
    public func chains() throws(StoreError) -> [(ChainId, [Fact])] {
        var chains: [(ChainId, [Fact])] = []
        chains.reserveCapacity(starts.count)
        var isOrdered = true
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1].row : rows.count
            let chain = ChainId(
                bundleId: names[start.app] ?? BundleId(""), originalTransactionId: start.chain)
            if let last = chains.last?.0, chain < last { isOrdered = false }
            chains.append((chain, try facts(start.row..<end)))
        }
        return isOrdered ? chains : chains.sorted { $0.0 < $1.0 }
    }

    /// The chains with their facts up to a position as the bytes they are stored in, in the order
    /// of `chains`.
    func stored(through position: Int64) -> [(chain: ChainId, bytes: [UInt8])] {
        starts.enumerated().map { index, start in
            let end = index + 1 < starts.count ? starts[index + 1].row : rows.count
            var bytes: [UInt8] = []
            for row in start.row..<end where rows[row].position <= position {
                withUnsafeBytes(of: (rows[row].signedAt, rows[row].position)) {
                    bytes.append(contentsOf: $0)
                }
                bytes.append(contentsOf: bodies[(row == 0 ? 0 : rows[row - 1].end)..<rows[row].end])
            }
            let chain = ChainId(
                bundleId: names[start.app] ?? BundleId(""), originalTransactionId: start.chain)
            return (chain, bytes)
        }.filter { !$0.bytes.isEmpty }.sorted { $0.chain < $1.chain }
    }

    private func facts(_ range: Range<Int>) throws(StoreError) -> [Fact] {
        do {
            return try bodies.withUnsafeBytes { all in
                try range.map { index in
                    let begin = index == 0 ? 0 : rows[index - 1].end
                    return try FactCodec.decode(
                        UnsafeRawBufferPointer(rebasing: all[begin..<rows[index].end]),
                        position: rows[index].position, signedAt: rows[index].signedAt)
                }
            }
        } catch { throw FactsStore.damaged }
    }
}
