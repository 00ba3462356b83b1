/// One forward step of a schema: a numbered SQL script, embedded in the binary so that a single
/// file is enough to deploy. A released script is never edited; its checksum is recorded in every
/// file to which it was applied.
public struct Migration: Hashable, Sendable {
    /// Without gaps inside one list. The first is 1, or the number of the last script that it
    /// replaced.
    public let version: Int
    /// The script's file name without its extension, e.g. `V0001_log_events`.
    public let name: String
    /// The script: UTF-8, one or more statements.
    public let sql: [UInt8]
    /// SHA-256 of the last of the scripts that this one replaced, in hexadecimal. A file that
    /// records it has the same schema.
    public let replaced: String?

    public init(version: Int, name: String, sql: [UInt8], replaced: String? = nil) {
        self.version = version
        self.name = name
        self.sql = sql
        self.replaced = replaced
    }

    /// The script as text.
    public var text: String { String(decoding: sql, as: UTF8.self) }
}
