internal import Dispatch
internal import Foundation
public import LedgerStore
internal import Synchronization

/// The right to a task among all nodes, by the database's clock; renewed until the last reference
/// is released.
final class PostgresLease: Lease {
    private let renewal: LeaseRenewal
    private let didEnd: @Sendable () -> Void

    init(renewal: LeaseRenewal, didEnd: @escaping @Sendable () -> Void) {
        self.renewal = renewal
        self.didEnd = didEnd
    }

    deinit {
        didEnd()
        renewal.end()
    }
}

/// Renews a lease on a thread and a connection of its own, however busy the others are, and gives
/// it back at the end.
final class LeaseRenewal: Sendable {
    private let ended = DispatchSemaphore(value: 0)

    init(
        _ task: ExclusiveTask, token: Int64, of store: PostgresOperations
    ) {
        let (schema, duration, renewal) = (store.schema, store.leaseDuration, store.leaseRenewal)
        let thread = Thread { [ended, session = store.session] in
            let slot = ConnectionSlot { () throws(PostgresError) in try session.open() }
            func set(_ until: String) {
                // A node that cannot renew loses the lease, and finds out with its next write.
                guard let connection = try? slot.connection() else { return }
                let transaction = OperationsTransaction(connection: connection, schema: schema)
                _ = try? transaction.run(
                    """
                    UPDATE @leases SET until = \(until)
                    WHERE name = '\(task.rawValue)' AND token = $1::bigint
                        AND until > clock_timestamp()
                    """, token)
            }
            let pause = DispatchTimeInterval.milliseconds(Int(renewal / .milliseconds(1)))
            while ended.wait(timeout: .now() + pause) == .timedOut {
                set(PostgresOperations.end(after: duration))
            }
            set("clock_timestamp()")
            slot.drop()
        }
        thread.name = "subledger-lease-\(task.rawValue)"
        thread.start()
    }

    func end() { ended.signal() }
}

extension PostgresOperations {
    public func lease(_ task: ExclusiveTask) async throws(StoreError) -> (any Lease)? {
        try requireUsable()
        guard let token = try await takeLease(task) else { return nil }
        tokens.withLock { $0[task] = token }
        let renewal = LeaseRenewal(task, token: token, of: self)
        return PostgresLease(renewal: renewal) { [weak self] in
            self?.tokens.withLock { if $0[task] == token { $0[task] = nil } }
        }
    }

    /// The next token, where the lease is free or has run out. One statement that is a transaction
    /// of its own: repeated without harm.
    private func takeLease(_ task: ExclusiveTask) async throws(StoreError) -> Int64? {
        let end = PostgresOperations.end(after: leaseDuration)
        return try await threads.run(location) { [schema] slot in
            func attempt() throws -> Int64? {
                let transaction = OperationsTransaction(
                    connection: try slot.connection(), schema: schema)
                return try transaction.run(
                    """
                    INSERT INTO @leases AS held (name, holder, token, until)
                    VALUES ('\(task.rawValue)', convert_from($1::bytea, 'UTF8'), 1, \(end))
                    ON CONFLICT (name) DO UPDATE
                    SET holder = excluded.holder, token = held.token + 1, until = excluded.until
                    WHERE held.until <= clock_timestamp()
                    RETURNING token
                    """, PostgresOperations.holder
                ).first?.int64(0)
            }
            do { return try attempt() } catch let error as PostgresError
                where error.kind == .lost
            {
                return try attempt()
            }
        }
    }

    /// By the database's clock: those of nodes may be minutes apart.
    fileprivate static func end(after duration: Duration) -> String {
        "clock_timestamp() + \(Int64(duration / .milliseconds(1))) * interval '1 millisecond'"
    }

    /// Names this process in `leases`, for people.
    private static let holder =
        "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"
}
