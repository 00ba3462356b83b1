public import LedgerStore

/// A setting of the database or of the connection that weakens what the log promises.
public enum ServerFinding: String, Sendable, CaseIterable {
    /// `fsync` is off: a crash of the server's machine may lose or damage acknowledged events.
    case fsyncOff
    /// `full_page_writes` is off: a crash may leave torn pages.
    case fullPageWritesOff
    /// `synchronous_commit` is off by default. The log turns it on for its own connections; other
    /// writers of the database, operators' scripts included, do not.
    case synchronousCommitOff
    /// The connection crosses a network without a verified certificate: `sslmode` is weaker than
    /// `verify-full`.
    case serverNotVerified
    /// The role may bypass the triggers that refuse changes: it is a superuser.
    case superuser
}

extension PostgresLog {
    /// What `doctor` reports about the database.
    public func serverFindings() async throws(StoreError) -> [ServerFinding] {
        let sslmode = place.connection.value("sslmode")
        return try await read { connection in
            let row = try connection.run(ServerFinding.settings.with()).first
            guard let row else { return [] }
            var findings: [ServerFinding] = []
            if row.text(0) == "off" { findings.append(.fsyncOff) }
            if row.text(1) == "off" { findings.append(.fullPageWritesOff) }
            if row.text(2) == "off" { findings.append(.synchronousCommitOff) }
            // A Unix socket has no address.
            if !row.isNull(3), sslmode != "verify-full" { findings.append(.serverNotVerified) }
            if try row.bool(4) { findings.append(.superuser) }
            return findings
        }
    }
}

extension ServerFinding {
    fileprivate static let settings = Statement(
        """
        SELECT current_setting('fsync', true), current_setting('full_page_writes', true),
            (SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'synchronous_commit'),
            host(inet_server_addr()),
            coalesce((SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user), false)
        """)
}
