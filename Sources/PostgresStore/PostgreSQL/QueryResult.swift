internal import AppStore
internal import CPostgres

/// The rows that one statement returned, in binary format. Owns libpq's result.
final class QueryResult {
    private let handle: OpaquePointer

    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    var status: ExecStatusType { PQresultStatus(handle) }

    var count: Int { Int(PQntuples(handle)) }

    /// Rows that the statement changed.
    var affectedCount: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// The command that was executed: a COMMIT of a failed transaction is a ROLLBACK.
    var command: String { String(cString: PQcmdStatus(handle)) }

    var rows: some Sequence<ResultRow> {
        (0..<PQntuples(handle)).lazy.map { ResultRow(result: self, number: $0) }
    }

    var first: ResultRow? { count > 0 ? ResultRow(result: self, number: 0) : nil }

    /// The error that the server reported; nil without one.
    var refusal: (state: SQLState, message: String, isFatal: Bool)? {
        guard let state = field(subledger_diag_sqlstate) else { return nil }
        let severity = field(subledger_diag_severity)
        return (
            SQLState(rawValue: state), field(subledger_diag_message) ?? "",
            severity == "FATAL" || severity == "PANIC"
        )
    }

    private func field(_ code: Int32) -> String? {
        PQresultErrorField(handle, code).map { String(cString: $0) }
    }

    fileprivate func isNull(_ row: Int32, _ column: Int32) -> Bool {
        PQgetisnull(handle, row, column) != 0
    }

    fileprivate func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(handle, row, column), count: Int(PQgetlength(handle, row, column)))
    }
}

/// One row of a result. Columns count from 0.
struct ResultRow {
    fileprivate let result: QueryResult
    fileprivate let number: Int32

    func isNull(_ column: Int32) -> Bool { result.isNull(number, column) }

    /// A value of any integer type, or of `boolean`. Throws `unexpectedValue` for NULL.
    func int64(_ column: Int32) throws(PostgresError) -> Int64 {
        guard let value = try optionalInt64(column) else { throw unexpected(column) }
        return value
    }

    func optionalInt64(_ column: Int32) throws(PostgresError) -> Int64? {
        guard !isNull(column) else { return nil }
        let bytes = result.bytes(number, column)
        switch bytes.count {
        case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case 1: return Int64(bytes[0])
        default: throw unexpected(column)
        }
    }

    /// Nil for NULL, and where the value has another length.
    func digest(_ column: Int32) -> Digest? {
        guard !isNull(column) else { return nil }
        return Digest(bytes: result.bytes(number, column))
    }

    /// Nil for NULL, and for bytes that are not UTF-8.
    func text(_ column: Int32) -> String? {
        guard !isNull(column) else { return nil }
        return String(validating: result.bytes(number, column), as: UTF8.self)
    }

    /// A text that is never NULL. Throws `unexpectedValue` for bytes that are not UTF-8.
    func requiredText(_ column: Int32) throws(PostgresError) -> String {
        guard let value = text(column) else { throw unexpected(column) }
        return value
    }

    /// Empty for NULL.
    func bytes(_ column: Int32) -> [UInt8] {
        isNull(column) ? [] : Array(result.bytes(number, column))
    }

    /// The value without a copy; it lives as long as the result.
    func withBytes<Value>(
        _ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Value
    ) rethrows -> Value {
        try body(result.bytes(number, column))
    }

    private func unexpected(_ column: Int32) -> PostgresError {
        PostgresError(.unexpectedValue, "Column \(column) has an unexpected value.")
    }
}
