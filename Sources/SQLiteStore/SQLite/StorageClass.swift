internal import GRDBSQLite

/// How SQLite stores a value (https://www.sqlite.org/datatype3.html §2). A STRICT table admits only
/// what its columns declare; damage asks nobody.
enum StorageClass: Hashable, Sendable {
    case null
    case integer
    case real
    case text
    case blob

    /// Of what `sqlite3_column_type` answers.
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
