/// How SQLite stores a value (https://www.sqlite.org/datatype3.html §2), by the codes of
/// `sqlite3_column_type` (https://www.sqlite.org/c3ref/c_blob.html). A STRICT table admits only the
/// declared types, but damage can produce others.
enum StorageClass: Int32, Sendable {
    case integer = 1
    case real
    case text
    case blob
    case null
}
