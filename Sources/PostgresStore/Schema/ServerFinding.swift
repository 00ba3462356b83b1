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
        try await read { connection in
            let row = try connection.run(ServerFinding.settings.with()).first
            guard let row else { return [] }
            var findings: [ServerFinding] = []
            if row.text(0) == "off" { findings.append(.fsyncOff) }
            if row.text(1) == "off" { findings.append(.fullPageWritesOff) }
            if row.text(2) == "off" { findings.append(.synchronousCommitOff) }
            // A Unix socket has no address.
            if !row.isNull(3), connection.option("sslmode") != "verify-full" {
                findings.append(.serverNotVerified)
            }
            if try row.bool(4) { findings.append(.superuser) }
            return findings
        }
    }
}

extension PostgresLog {
    public func weaknesses() async throws(StoreError) -> [LogWeakness] {
        var found = try await serverFindings().map {
            LogWeakness(isSevere: $0.isSevere, message: $0.message)
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
}

extension ServerFinding {
    var isSevere: Bool { self == .fsyncOff || self == .fullPageWritesOff }

    var message: String {
        switch self {
        case .fsyncOff:
            "fsync is off: a crash of the server's machine may lose acknowledged events."
        case .fullPageWritesOff: "full_page_writes is off: a crash may leave torn pages."
        case .synchronousCommitOff:
            "synchronous_commit is off by default: nodes turn it on for themselves, other writers"
                + " of this database do not."
        case .serverNotVerified:
            "The server's certificate is not verified: set sslmode=verify-full and sslrootcert."
        case .superuser:
            "The role is a superuser, whom triggers and rights do not bind: use one of its own."
        }
    }

    fileprivate static let settings = Statement(
        """
        SELECT current_setting('fsync', true), current_setting('full_page_writes', true),
            (SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'synchronous_commit'),
            host(inet_server_addr()),
            coalesce((SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user), false)
        """)
}
