import Foundation
import GRDB

/// Corrupts single values of one table of a log through SQL, with its triggers disabled, and
/// restores them.
struct RowFlips {
    /// A change of one value.
    struct Flip: CustomStringConvertible {
        let column: String
        let rowId: Int64
        let old: DatabaseValue
        let new: DatabaseValue
        let isKey: Bool

        var description: String { "\(column) of row \(rowId): \(old) → \(new)" }
        var newRowId: Int64 { isKey ? Int64.fromDatabaseValue(new) ?? rowId : rowId }
    }

    private let queue: DatabaseQueue
    private let table: String

    init(path: String, table: String) throws {
        self.table = table
        queue = try DatabaseQueue(path: path)
        try queue.inDatabase { database in
            let triggers = try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger'")
            for trigger in triggers { try database.execute(sql: "DROP TRIGGER \(trigger)") }
            try database.execute(
                sql: "PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF")
        }
    }

    func close() throws { try queue.close() }

    /// Every byte of every value with one of its bits, or each of its bits, flipped; and nullable
    /// values set to NULL or to a value.
    func all(everyBit: Bool) throws -> [Flip] {
        try queue.inDatabase { database in
            try database.columns(in: table).flatMap { column in
                let rows = try Row.fetchAll(
                    database, sql: "SELECT rowid, \(column.name) FROM \(table)")
                return rows.flatMap { row in
                    let old: DatabaseValue = row[1]
                    var values = RowFlips.flips(of: old, everyBit: everyBit)
                    if let other = other(than: old, column) { values.append(other) }
                    return values.map { new in
                        Flip(
                            column: column.name, rowId: row[0], old: old, new: new,
                            isKey: column.primaryKeyIndex > 0)
                    }
                }
            }
        }
    }

    private static func flips(of value: DatabaseValue, everyBit: Bool) -> [DatabaseValue] {
        func bits(_ byte: Int) -> [UInt8] {
            everyBit ? (0..<8).map { $0 } : [UInt8((byte * 3 + 1) % 8)]
        }
        func flipped(_ bytes: Data, _ wrap: (Data) -> DatabaseValue) -> [DatabaseValue] {
            bytes.indices.flatMap { index in
                bits(index).map { bit in
                    var copy = bytes
                    copy[index] ^= 1 << bit
                    return wrap(copy)
                }
            }
        }
        switch value.storage {
        case .null, .double: return []
        case .int64(let number):
            return (0..<8).flatMap { byte in
                bits(byte).map { (number ^ (1 << (Int64(byte) * 8 + Int64($0)))).databaseValue }
            }
        case .string(let text):
            // Bytes that are not UTF-8 are bound as a blob and cast.
            return flipped(Data(text.utf8)) { $0.databaseValue }
        case .blob(let bytes): return flipped(bytes) { $0.databaseValue }
        }
    }

    /// NULL for a nullable value, and the emptiest value for NULL.
    private func other(than value: DatabaseValue, _ column: ColumnInfo) -> DatabaseValue? {
        guard !column.isNotNull, column.primaryKeyIndex == 0 else { return nil }
        guard value.isNull else { return .null }
        switch column.type {
        case "INTEGER": return 0.databaseValue
        case "TEXT": return "".databaseValue
        default: return Data().databaseValue
        }
    }

    /// False when the row would collide with another one; nothing is changed then.
    func apply(_ flip: Flip) throws -> Bool {
        do {
            try set(flip.column, flip.new, at: flip.rowId, isText: isText(flip.old))
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return false
        }
    }

    func undo(_ flip: Flip) throws {
        try set(flip.column, flip.old, at: flip.newRowId, isText: isText(flip.old))
    }

    private func isText(_ value: DatabaseValue) -> Bool {
        if case .string = value.storage { true } else { false }
    }

    private func set(
        _ column: String, _ value: DatabaseValue, at rowId: Int64, isText: Bool
    ) throws {
        let place = isText ? "CAST(? AS TEXT)" : "?"
        try queue.inDatabase { database in
            try database.execute(
                sql: "UPDATE \(table) SET \(column) = \(place) WHERE rowid = ?",
                arguments: [value, rowId])
        }
    }
}
