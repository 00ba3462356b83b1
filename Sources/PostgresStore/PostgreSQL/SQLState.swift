/// A five-character error code of PostgreSQL
/// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
struct SQLState: RawRepresentable, Hashable, Sendable {
    let rawValue: String

    /// A warning; of COMMIT: the wait for a synchronous standby was cancelled.
    static let warning = SQLState(rawValue: "01000")
    static let invalidPassword = SQLState(rawValue: "28P01")
    static let invalidAuthorization = SQLState(rawValue: "28000")
    static let invalidDatabase = SQLState(rawValue: "3D000")
    static let insufficientPrivilege = SQLState(rawValue: "42501")
    static let readOnlyTransaction = SQLState(rawValue: "25006")
    static let uniqueViolation = SQLState(rawValue: "23505")
    static let serializationFailure = SQLState(rawValue: "40001")
    static let deadlock = SQLState(rawValue: "40P01")
    static let undefinedTable = SQLState(rawValue: "42P01")
    static let undefinedColumn = SQLState(rawValue: "42703")
    static let duplicateStatement = SQLState(rawValue: "42P05")
    static let undefinedStatement = SQLState(rawValue: "26000")
    static let duplicateTable = SQLState(rawValue: "42P07")
    static let duplicateSchema = SQLState(rawValue: "42P06")
    static let lockNotAvailable = SQLState(rawValue: "55P03")
    static let tooManyConnections = SQLState(rawValue: "53300")
    static let diskFull = SQLState(rawValue: "53100")
    static let dataCorrupted = SQLState(rawValue: "XX001")
    static let indexCorrupted = SQLState(rawValue: "XX002")
    static let ioError = SQLState(rawValue: "58030")

    /// The first two characters.
    var category: Substring { rawValue.prefix(2) }

    /// Whether the same transaction may succeed when it is run again: it conflicted with another
    /// one.
    var isConflict: Bool {
        [.serializationFailure, .deadlock, .uniqueViolation].contains(self)
    }
}
