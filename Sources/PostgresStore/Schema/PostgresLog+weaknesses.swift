public import LedgerStore

extension PostgresLog {
    public func weaknesses() async throws(StoreError) -> [LogWeakness] {
        var found = try await read { connection -> [LogWeakness] in
            let row = try connection.run(PostgresLog.settings.with()).first
            guard let row else { return [] }
            var noted: [LogWeakness] = []
            func note(_ message: String, isSevere: Bool = false) {
                noted.append(LogWeakness(isSevere: isSevere, message: message))
            }
            if row.text(0) == "off" {
                note(
                    "fsync is off: a crash of the server's machine may lose acknowledged events.",
                    isSevere: true)
            }
            if row.text(1) == "off" {
                note(
                    "full_page_writes is off: a crash may leave torn pages.", isSevere: true)
            }
            if row.text(2) == "off" {
                note(
                    "synchronous_commit is off by default: nodes turn it on for themselves, other"
                        + " writers of this database do not.")
            }
            if !(row.text(5) ?? "").isEmpty, let mode = row.text(2),
                ["local", "remote_write"].contains(mode)
            {
                note(
                    "synchronous_commit is \(mode) although synchronous_standby_names is set: a"
                        + " failover may lose acknowledged events.",
                    isSevere: true)
            }
            // A Unix socket has no address.
            if !row.isNull(3), connection.option("sslmode") != "verify-full" {
                note(
                    "The server's certificate is not verified: set sslmode=verify-full and"
                        + " sslrootcert.")
            }
            if try row.bool(4) {
                note(
                    "The role is a superuser, to which triggers and privileges do not apply: use"
                        + " a separate role.")
            }
            return noted
        }
        if place.connection.value("password") != nil {
            found.append(
                LogWeakness(
                    isSevere: false,
                    message: "The connection string holds the password: use PGPASSFILE or the"
                        + " keyword passfile."))
        }
        return found
    }

    private static let settings = Statement(
        """
        SELECT current_setting('fsync', true), current_setting('full_page_writes', true),
            (SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'synchronous_commit'),
            host(inet_server_addr()),
            coalesce((SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user), false),
            current_setting('synchronous_standby_names', true)
        """)
}
