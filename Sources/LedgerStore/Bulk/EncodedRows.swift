internal import AppStore
internal import Ledger

/// Rows of chains as bytes, on their way from the cores that fold to the one that writes: there,
/// SQLite reads texts where they lie, and nothing is copied or counted.
///
///     chain   = head row…
///     row     = table, column…        `table` is a `Table`
///     column  = 0                     NULL
///             | 1, 8 bytes            integer, native order
///             | 2, 4 bytes, bytes     length and text
public struct EncodedRows: Sendable {
    private(set) var bytes: [UInt8] = []

    enum Table: UInt8 {
        /// Begins a chain: the row of `subscriptions`, with its key first.
        case subscriptions = 0
        case intervals = 1
        case lifeFacts = 2
        case notices = 3
        /// transactionId and first position; kept apart, since they are ordered otherwise.
        case transactions = 4
    }

    /// The rows in the order given.
    public init(_ chains: [ChainRows]) {
        bytes.reserveCapacity(chains.count * EncodedRows.usualChainByteCount)
        for rows in chains { append(rows) }
    }

    private static let usualChainByteCount = 1_536

    private mutating func append(_ rows: ChainRows) {
        begin(.subscriptions)
        bind(1, rows.chain.originalTransactionId.rawValue)
        bind(2, rows.chain.bundleId.rawValue)
        rows.subscription.bind(&self)
        append(rows.intervals, .intervals)
        append(rows.lifeFacts, .lifeFacts)
        append(rows.notices, .notices)
        append(rows.transactions, .transactions)
    }

    private mutating func append<Row: StoredRow>(_ rows: [Row], _ table: Table) {
        for row in rows {
            begin(table)
            row.bind(&self)
        }
    }

    private mutating func begin(_ table: Table) { bytes.append(table.rawValue) }
}

extension EncodedRows: ColumnSink {
    static let null: UInt8 = 0
    static let integer: UInt8 = 1
    static let text: UInt8 = 2

    mutating func bind(_ parameter: Int32, _ value: Int64) {
        bytes.append(EncodedRows.integer)
        withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
    }

    mutating func bind(_ parameter: Int32, _ value: Int64?) {
        if let value { bind(parameter, value) } else { bytes.append(EncodedRows.null) }
    }

    mutating func bind(_ parameter: Int32, _ text: String?) {
        guard var text else {
            bytes.append(EncodedRows.null)
            return
        }
        text.withUTF8 { utf8 in
            bytes.append(EncodedRows.text)
            withUnsafeBytes(of: UInt32(utf8.count)) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: utf8)
        }
    }
}

/// Walks over encoded rows. The bytes come from `EncodedRows` alone, so their shape is known.
struct EncodedRowReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The table of the next row; nil at the end.
    mutating func table() -> EncodedRows.Table? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return EncodedRows.Table(rawValue: bytes[offset])
    }

    /// Binds the row's next columns; texts are lent until the statement is reset.
    mutating func bind(_ statement: BoundStatement, _ parameters: ClosedRange<Int32>) {
        for parameter in parameters {
            switch bytes[offset] {
            case EncodedRows.integer: statement.bind(parameter, integer())
            case EncodedRows.text: statement.bind(parameter, lentText: text())
            default:
                offset += 1
                statement.bindNull(parameter)
            }
        }
    }

    mutating func integer() -> Int64 {
        defer { offset += 1 + MemoryLayout<Int64>.size }
        return bytes.loadUnaligned(fromByteOffset: offset + 1, as: Int64.self)
    }

    mutating func text() -> UnsafeRawBufferPointer {
        let count = Int(bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt32.self))
        let start = offset + 1 + MemoryLayout<UInt32>.size
        offset = start + count
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }
}
