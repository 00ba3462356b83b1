import Intake
import Service

#if PostgreSQL
    import PostgresStore
#endif

extension Settings {
    /// Gives the configured database its engine. No message quotes the connection string, which
    /// may hold a password.
    static func connect(_ database: inout Configuration.Database?) throws(CommandFailure) {
        #if PostgreSQL
            guard let stated = database else { return }
            guard let connection = ConnectionString(stated.url) else {
                throw CommandFailure(
                    ConfigurationError.Code.invalidValue,
                    "database: The connection string is not one of PostgreSQL, e.g."
                        + " postgresql://user@host/database?sslmode=verify-full. Ports are numbers,"
                        + " parameters are libpq's, and a password's special characters must be"
                        + " percent-encoded.", .configuration)
            }
            database?.engine = PostgresEngine(
                connection, schema: stated.schema, poolSize: stated.poolSize)
        #else
            guard database != nil else { return }
            throw CommandFailure(
                "databaseRefused",
                "database: This program was built without PostgreSQL; build it with the"
                    + " package trait PostgreSQL.", .configuration)
        #endif
    }
}

extension CommandFailure {
    static let noDatabase = CommandFailure(
        "noDatabase",
        "This ledger's log is not in a database: name one with --database, or `database`"
            + " in the configuration.", .usage)
}
