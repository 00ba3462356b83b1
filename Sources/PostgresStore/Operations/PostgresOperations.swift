internal import AppStore
internal import Dispatch
public import LedgerStore
internal import Synchronization

/// Operational state of one environment in the schema of its log, shared by all nodes.
///
/// A write locks the row of its area first, so that it reads what the one before it wrote. Where
/// this node holds the lease of the area's task, the write is refused once another node took it.
public final class PostgresOperations: SharedOperations {
    public let location: String
    let session: PostgresSession
    let threads: ConnectionThreads
    /// Takes, renews and releases leases.
    let leasing: ConnectionThreads
    private let isClosed = Mutex(false)
    /// The tokens of leases that this node took and did not release.
    let tokens = Mutex<[ExclusiveTask: Int64]>([:])
    /// The tokens of calls that failed and may have taken the lease: the next call uses the same
    /// one.
    let unconfirmedTokens = Mutex<[ExclusiveTask: Int64]>([:])
    /// Names this node in `nodes` and `leases`.
    let node: String
    let leaseDuration: Duration
    /// How often a lease is renewed.
    let leaseRenewal: Duration
    /// The threads that renew and release leases.
    let renewals = DispatchGroup()

    /// Opens the operational state of `environment`, and creates its schema when missing. Throws as
    /// `PostgresLog.open`.
    static func open(
        _ place: PostgresLocation, environment: Environment, ledger: LedgerId? = nil,
        node: String? = nil, leaseDuration: Duration = PostgresLimits.leaseDuration,
        leaseRenewal: Duration = PostgresLimits.leaseDuration / 3,
        answerTimeout: Duration = PostgresLimits.answerTimeout
    ) async throws(StoreError) -> PostgresOperations {
        let session = PostgresSession(place: place, answerTimeout: answerTimeout)
        let checked = CheckedSession(
            LogOpening(session: session, environment: environment, ledger: ledger))
        let threads = ConnectionThreads(
            "subledger-operations", count: PostgresLimits.operationsCount, open: checked.open)
        let leasing = ConnectionThreads("subledger-leases", count: 1) {
            let connection = try checked.open()
            try connection.run(script: "SET lock_timeout = '\(PostgresLimits.leaseWait)'")
            return connection
        }
        _ = try await checked.ledger(on: threads, leasing)
        return PostgresOperations(
            session, threads: threads, leasing: leasing, node: node,
            leaseDuration: leaseDuration, leaseRenewal: leaseRenewal)
    }

    private init(
        _ session: PostgresSession, threads: ConnectionThreads, leasing: ConnectionThreads,
        node: String?, leaseDuration: Duration, leaseRenewal: Duration
    ) {
        self.node = node ?? PostgresOperations.processName
        self.session = session
        location = session.place.description
        self.threads = threads
        self.leasing = leasing
        self.leaseDuration = leaseDuration
        self.leaseRenewal = leaseRenewal
    }

    public func close() async {
        isClosed.withLock { $0 = true }
        // Waits until released leases are free for other nodes.
        await Blocking.run { [renewals] in
            _ = renewals.wait(timeout: .now() + .seconds(1))
        }
        leasing.stop()
        await threads.stopped()
    }

    public func purge() async throws(StoreError) {
        try await session.place.rewrite(PostgresLocation.operationTables)
    }

    public func requireUsable() throws(StoreError) {
        guard !isClosed.withLock({ $0 }) else { throw .closed(location, "store") }
    }

    // MARK: Transactions

    /// Runs `body` in one transaction that holds the lock of `area`; retried after conflicts, and
    /// on a new connection if the first was lost before `body`.
    public func writeTables<Value: Sendable>(
        _ area: OperationsArea,
        _ body: @escaping @Sendable (any SQLTables) throws -> Value
    ) async throws(StoreError) -> Value {
        try requireUsable()
        return try await threads.run(location, within: session.answerTimeout) { [self] slot in
            var number = 0
            while true {
                number += 1
                do { return try attempt(area, slot, body) } catch let error as PostgresError {
                    guard error.state?.isConflict == true,
                        number < PostgresLimits.conflictAttemptCount
                    else { throw error }
                    Blocking.pause(PostgresLimits.pause(number))
                }
            }
        }
    }

    private func attempt<Value>(
        _ area: OperationsArea, _ slot: ConnectionSlot,
        _ body: (any SQLTables) throws -> Value
    ) throws -> Value {
        let transaction = try begin(area, slot)
        let connection = transaction.connection
        return try slot.rollingBack {
            let value = try body(transaction)
            _ = connection.takeNotices()
            let result = try connection.run(Statement.commit.with())
            guard result.command == "COMMIT", !connection.takeNotices().contains(.warning) else {
                throw PostgresError(.lost, "COMMIT was not acknowledged by a standby.")
            }
            return value
        }
    }

    /// BEGIN, the lock of the area and the check of its lease, in one round trip.
    private func begin(
        _ area: OperationsArea, _ slot: ConnectionSlot
    ) throws -> SchemaTables {
        let held = area.task.flatMap { task in
            tokens.withLock { $0[task] }.map { (task: task, token: $0) }
        }
        // The server closed a connection that was idle: nothing was written.
        return try slot.again {
            let transaction = SchemaTables(connection: try slot.connection())
            var commands = [
                Statement.begin.with(),
                transaction.command(
                    "SELECT last_id FROM @areas WHERE name = '\(area.rawValue)' FOR UPDATE"),
            ]
            if let held {
                commands.append(
                    transaction.command(
                        """
                        SELECT 1 FROM @leases WHERE name = '\(held.task.rawValue)'
                            AND token = $1::bigint AND holder = convert_from($2::bytea, 'UTF8')
                            AND until > clock_timestamp() FOR SHARE
                        """, [held.token, node]))
            }
            try slot.rollingBack {
                let results = try transaction.connection.run(commands)
                guard held == nil || results[2].count == 1 else { throw leaseLost }
            }
            return transaction
        }
    }

    private var leaseLost: StoreError {
        StoreError(
            .fileLocked, path: location,
            reason: "Another node took over this task while this one was silent.",
            remedy: "Nothing was written; the other node continues.")
    }

    /// Runs `body`, a transaction of one statement, which is safe to repeat on a new connection
    /// after the first was lost.
    func once<Value: Sendable>(
        on threads: ConnectionThreads? = nil,
        _ body: @escaping @Sendable (SchemaTables) throws -> Value
    ) async throws(StoreError) -> Value {
        try requireUsable()
        let threads = threads ?? self.threads
        return try await threads.run(location, within: session.answerTimeout) { slot in
            try slot.again { try body(SchemaTables(connection: try slot.connection())) }
        }
    }

    public func readTables<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTables) throws -> Value
    ) async throws(StoreError) -> Value {
        try requireUsable()
        return try await threads.run(location, within: session.answerTimeout) { slot in
            try slot.again {
                let connection = try slot.connection()
                return try slot.rollingBack {
                    _ = try connection.run(Statement.snapshot.with())
                    let value = try body(SchemaTables(connection: connection))
                    _ = try connection.run(Statement.commit.with())
                    return value
                }
            }
        }
    }
}

extension ConnectionSlot {
    /// Runs `body`, and again on a new connection where the first was lost. One that gave no answer
    /// in time is closed.
    func again<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as PostgresError where error.isConnectionLost {
            drop()
            guard error.kind == .lost else { throw error }
            return try body()
        }
    }

    /// Runs `body`, and rolls back where it throws; closes a connection that is no longer usable.
    func rollingBack<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            let connection = current.flatMap { $0.isUsable ? $0 : nil }
            if (try? connection?.run(Statement.rollback.with())) == nil { drop() }
            throw error
        }
    }
}
