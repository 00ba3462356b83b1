public import Foundation
import GRDB

/// Modifies a closed log in unsupported ways: without the triggers, or byte by byte.
public struct LogTampering {
    let path: String

    public init(path: String) { self.path = path }

    /// Runs SQL with every trigger and check disabled; the triggers are restored afterwards.
    public func run(_ sql: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.inDatabase { database in
            let triggers = try Row.fetchAll(
                database, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
            for trigger in triggers {
                let name: String = trigger["name"]
                try database.execute(sql: "DROP TRIGGER \(name)")
            }
            try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
            try database.execute(sql: sql)
            for trigger in triggers {
                let text: String = trigger["sql"]
                try database.execute(sql: text)
            }
            try database.checkpoint(.truncate)
        }
        try queue.close()
    }

    /// Names another reducer as the one that made a file of projections.
    public func state(reducerVersion: Int) throws {
        try run("UPDATE meta SET value = '\(reducerVersion)' WHERE key = 'reducerVersion'")
    }

    /// Queries the file, as with sqlite3.
    public func strings(_ sql: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { try String.fetchAll($0, sql: sql) }
    }

    /// Overwrites the file's bytes.
    public func rewrite(_ change: (inout Data) -> Void) throws {
        let url = URL(filePath: path)
        var data = try Data(contentsOf: url)
        change(&data)
        try data.write(to: url)
    }
}
