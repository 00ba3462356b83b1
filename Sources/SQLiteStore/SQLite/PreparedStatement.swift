internal import AppStore
internal import GRDB
internal import GRDBSQLite

/// A prepared statement stepped directly, for loops in which GRDB's value conversions would cost
/// more than the row.
///
/// The only type that uses `sqliteStatement`. It owns the GRDB statement, because the handle
/// dangles once its `Statement` is released. Not Sendable: it is confined to one access to its
/// connection. Parameters count from 1, columns from 0, as in SQLite.
struct PreparedStatement {
    private let statement: Statement
    private let handle: SQLiteStatement
    private let connection: SQLiteConnection?

    /// Prepares `sql` once per connection: the same text is found in the connection's statement
    /// cache.
    init(_ database: Database, _ sql: String) throws {
        statement = try database.cachedStatement(sql: sql)
        handle = statement.sqliteStatement
        connection = database.sqliteConnection
        reset()
    }

    // MARK: Running

    /// True when positioned on a row, false when done. Resets the statement when done or failed.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            reset()
            return false
        case let code:
            let message = connection.map { String(cString: sqlite3_errmsg($0)) }
            reset()
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
        }
    }

    /// Runs a statement that returns no rows; returns the number of rows it changed.
    @discardableResult
    func run() throws -> Int {
        let hasRow = try step()
        precondition(!hasRow, "A statement that returns rows was run for its effect.")
        return connection.map { Int(sqlite3_changes($0)) } ?? 0
    }

    /// Prepares the statement to be bound and stepped again.
    func reset() { sqlite3_reset(handle) }

    // MARK: Binding

    func bind(_ parameter: Int32, _ value: Int64) { sqlite3_bind_int64(handle, parameter, value) }

    func bind(_ parameter: Int32, _ value: Int64?) {
        if let value { bind(parameter, value) } else { sqlite3_bind_null(handle, parameter) }
    }

    /// Binds without a copy: the bytes must stay valid until the statement is reset.
    func bind(_ parameter: Int32, lentText text: UnsafeRawBufferPointer) {
        let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
        sqlite3_bind_text(
            handle, parameter, start ?? UnsafePointer(bitPattern: 1), Int32(text.count), nil)
    }

    /// As `bind(_:lentText:)`, for a blob.
    func bind(_ parameter: Int32, lentBlob blob: UnsafeRawBufferPointer) {
        bind(parameter, blob: blob, nil)
    }

    func bindNull(_ parameter: Int32) { sqlite3_bind_null(handle, parameter) }

    func bind(_ parameter: Int32, _ value: Bool) { bind(parameter, value ? 1 : 0) }

    func bind(_ parameter: Int32, _ text: String?) {
        guard var text else {
            sqlite3_bind_null(handle, parameter)
            return
        }
        text.withUTF8 { utf8 in
            // An empty string's pointer may be nil, which would bind NULL.
            let start = utf8.baseAddress ?? UnsafePointer(bitPattern: 1)
            start?.withMemoryRebound(to: CChar.self, capacity: utf8.count) { characters in
                _ = sqlite3_bind_text(
                    handle, parameter, characters, Int32(utf8.count), PreparedStatement.copied)
            }
        }
    }

    func bind(_ parameter: Int32, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bind(parameter, $0) }
    }

    /// The bytes are copied before the call returns.
    func bind(_ parameter: Int32, _ bytes: UnsafeRawBufferPointer) {
        bind(parameter, blob: bytes, PreparedStatement.copied)
    }

    func bind(_ parameter: Int32, _ digest: Digest?) {
        guard let words = digest?.words else {
            sqlite3_bind_null(handle, parameter)
            return
        }
        let bigEndian = (
            words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian
        )
        withUnsafeBytes(of: bigEndian) { bind(parameter, $0) }
    }

    private func bind(
        _ parameter: Int32, blob: UnsafeRawBufferPointer, _ destructor: sqlite3_destructor_type?
    ) {
        // A nil pointer would bind NULL instead of an empty blob.
        if blob.isEmpty {
            sqlite3_bind_zeroblob(handle, parameter, 0)
        } else {
            sqlite3_bind_blob(handle, parameter, blob.baseAddress, Int32(blob.count), destructor)
        }
    }

    // MARK: Reading

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func storageClass(_ column: Int32) -> StorageClass {
        StorageClass(rawValue: sqlite3_column_type(handle, column)) ?? .null
    }

    func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

    /// The value, whatever its storage class; a REAL, which no table declares, as text.
    func value(_ column: Int32) -> ColumnValue {
        switch storageClass(column) {
        case .null: .null
        case .integer: .integer(int64(column))
        case .text, .real: ColumnValue(text(column))
        case .blob: .bytes(bytes(column))
        }
    }

    /// The text by its length, not up to the first NUL.
    func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Whether the column holds exactly this text; creates no string.
    func text(_ column: Int32, equals text: String) -> Bool {
        guard let start = sqlite3_column_text(handle, column) else { return false }
        let count = Int(sqlite3_column_bytes(handle, column))
        guard text.utf8.count == count else { return false }
        var text = text
        return text.withUTF8 { utf8 in
            RunOrder.compare(
                UnsafeRawBufferPointer(utf8), UnsafeRawBufferPointer(start: start, count: count))
                == 0
        }
    }

    /// The blob; also empty for NULL, so check `isNull` where that matters.
    func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { Array($0) } }

    /// Passes the blob to `body` without a copy. The pointer is valid inside `body` only.
    func withBytes<Result>(
        _ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// Nil when the column is NULL or not 32 bytes long.
    func digest(_ column: Int32) -> Digest? {
        withBytes(column) { buffer in
            buffer.count == Digest.byteCount ? Digest(stored: buffer) : nil
        }
    }

    /// SQLITE_TRANSIENT: SQLite copies before the call returns
    /// (https://www.sqlite.org/c3ref/c_static.html).
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

extension Digest {
    /// - Parameter bytes: 32 of them.
    init(stored bytes: UnsafeRawBufferPointer) {
        func word(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        self.init(words: (word(0), word(8), word(16), word(24)))
    }
}
