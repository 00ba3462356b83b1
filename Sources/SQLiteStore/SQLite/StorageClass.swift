internal import GRDBSQLite

/// How SQLite stores a value (https://www.sqlite.org/datatype3.html §2). A STRICT table admits only
/// the declared types, but damage can produce others.
enum StorageClass: Hashable, Sendable {
    case null
    case integer
    case real
    case text
    case blob

    /// From a result of `sqlite3_column_type`.
    init(_ code: Int32) {
        switch code {
        case SQLITE_INTEGER: self = .integer
        case SQLITE_FLOAT: self = .real
        case SQLITE_TEXT: self = .text
        case SQLITE_BLOB: self = .blob
        default: self = .null
        }
    }
}
