/// Where a log is: a database, and the schema of one environment in it.
public struct PostgresLocation: Sendable, Equatable, CustomStringConvertible {
    public let connection: ConnectionString
    /// Lower-case letters, digits and underscores.
    public let schema: String

    /// Nil unless `schema` is a name of at most 63 lower-case letters, digits and underscores that
    /// begins with a letter.
    public init?(_ connection: ConnectionString, schema: String) {
        guard schema.wholeMatch(of: /[a-z][a-z0-9_]{0,62}/) != nil, !schema.hasPrefix("pg_")
        else { return nil }
        self.connection = connection
        self.schema = schema
    }

    /// For messages: hosts, database and schema, without user or secrets.
    public var description: String { "\(connection.location)?schema=\(schema)" }

    /// The connection string with this store's defaults: a server that accepts writes, and bounds
    /// for hosts that do not answer.
    var completed: ConnectionString {
        connection.adding([
            ("application_name", "subledger"),
            ("client_encoding", "UTF8"),
            ("connect_timeout", "\(PostgresLimits.connectSeconds)"),
            ("target_session_attrs", "read-write"),
            ("tcp_user_timeout", "\(PostgresLimits.connectSeconds * 1_000)"),
            ("keepalives_idle", "\(PostgresLimits.connectSeconds)"),
            ("keepalives_interval", "1"),
            ("keepalives_count", "5"),
        ])
    }
}
