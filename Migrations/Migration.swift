/// One forward step of a schema: a numbered SQL script, embedded in the binary so that a single
/// file is enough to deploy. A released script is never edited; its checksum is recorded in every
/// file to which it was applied.
public struct Migration: Hashable, Sendable {
    /// Counts from 1 without gaps inside one list.
    public let version: Int
    /// The script's file name without its extension, e.g. `V0001_log_events`.
    public let name: String
    /// The script: UTF-8, one or more statements.
    public let sql: [UInt8]

    public init(version: Int, name: String, sql: [UInt8]) {
        self.version = version
        self.name = name
        self.sql = sql
    }

    /// The script as text.
    public var text: String { String(decoding: sql, as: UTF8.self) }
}
