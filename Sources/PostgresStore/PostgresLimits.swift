/// Bounds of the connection to PostgreSQL.
enum PostgresLimits {
    /// Timeout while an answer is expected and the server sends nothing; the outcome of a COMMIT is
    /// then unknown. Also the time after which the server ends the transaction of a silent node,
    /// since its lock of the head row blocks every other node.
    static let answerTimeout: Duration = .seconds(5)
    /// How long the outcome of a COMMIT is queried after the connection was lost: longer than a
    /// standby takes to be promoted.
    static let outcomeTimeout: Duration = .seconds(20)
    /// How long the server may take to rewrite a table, or for a step of a migration.
    static let rewriteTimeout: Duration = .seconds(3_600)
    /// Lock timeout of such a statement: other connections queue behind it.
    static let rewriteWait = "10s"
    /// Maximum attempts of a transaction that conflicts with others.
    static let conflictAttemptCount = 12
    /// Connections that read.
    static let readerCount = 4
    /// Connections for operational state.
    static let operationsCount = 2
    /// How long a lease lasts without being renewed, by the database's clock.
    static let leaseDuration: Duration = .seconds(10)
    /// Lock timeout of a statement on a lease. All of a node's leases share a connection: with the
    /// rows of all others locked, each is still renewed before it runs out.
    static let leaseWait = "1s"
    /// Seconds to open a connection to one host.
    static let connectSeconds = 5
    /// Leaf hashes of recent positions that a log remembers.
    static let seenLeafCount = 65_536

    /// A pause before attempt `number` (from 1), doubled each time up to half a second, of random
    /// length so that two appenders do not collide again.
    static func pause(_ number: Int) -> Duration {
        let most = min(500, 4 << min(number, 10))
        return .milliseconds(Int.random(in: 1...most))
    }
}
