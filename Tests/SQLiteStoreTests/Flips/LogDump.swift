import Foundation
import GRDB

/// All readable contents of a log's file: every value with its storage class, and the schema.
struct LogDump: Equatable, Sendable {
    private let lines: [String]

    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        lines = try queue.inDatabase { database in
            var lines = try LogDump.rows(
                of: "sqlite_schema", ["type", "name", "tbl_name", "sql"], database)
            for table in ["migrations", "events", "evidence", "headers", "head"] {
                lines += try LogDump.rows(
                    of: table, try database.columns(in: table).map(\.name), database)
            }
            return lines
        }
    }

    private static func rows(
        of table: String, _ columns: [String], _ database: Database
    ) throws -> [String] {
        let values = columns.map { "typeof(\($0)) || quote(\($0))" }
        return try String.fetchAll(
            database,
            sql: """
                SELECT '\(table) ' || \(values.joined(separator: " || ' ' || "))
                FROM \(table) NOT INDEXED ORDER BY rowid
                """)
    }
}
