/// Bounds of the connection to PostgreSQL.
enum PostgresLimits {
    /// How long the server may send nothing while an answer is expected: the outcome of a COMMIT is
    /// then unknown. After as long the server ends a transaction whose node went silent: the row
    /// lock of the head would block every other node.
    static let answerTimeout: Duration = .seconds(5)
    /// How long the outcome of a COMMIT is asked for after the connection was lost: longer than a
    /// standby takes to be promoted.
    static let outcomeTimeout: Duration = .seconds(20)
    /// How long the server may take to rewrite a table, or for a step of a migration.
    static let rewriteTimeout: Duration = .seconds(3_600)
    /// How long that waits for other connections, which wait behind it.
    static let rewriteWait = "10s"
    /// How often a transaction is run again that another one was in the way of.
    static let conflictAttemptCount = 12
    /// Connections that read.
    static let readerCount = 4
    /// Connections for operational state.
    static let operationsCount = 2
    /// How long a lease lasts without being renewed, by the database's clock.
    static let leaseDuration: Duration = .seconds(10)
    /// Seconds to open a connection to one host.
    static let connectSeconds = 5
    /// Leaf hashes of recent positions that a log remembers.
    static let seenLeafCount = 65_536

    /// A pause before attempt `number` (from 1), doubled each time up to half a second, of random
    /// length so that two appenders do not meet again.
    static func pause(_ number: Int) -> Duration {
        let most = min(500, 4 << min(number, 10))
        return .milliseconds(Int.random(in: 1...most))
    }
}
