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

    var isHeld: Bool { renewal.isHeld }

    deinit {
        didEnd()
        renewal.giveBack()
    }
}

/// Renews a lease on a thread and a connection of its own, however busy the others are, and gives
/// it back at the end.
///
/// The token alone does not name the holder: a failover may lose a lease, and its token is then
/// given out again.
final class LeaseRenewal: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    /// By the clock of this machine, counted from before the last statement that renewed it.
    private let end: Mutex<ContinuousClock.Instant>

    /// - Parameter taken: before the statement that took it.
    init(
        _ task: ExclusiveTask, token: Int64, taken: ContinuousClock.Instant,
        of store: PostgresOperations
    ) {
        end = Mutex(taken + store.leaseDuration)
        let (schema, duration, renewal) = (store.schema, store.leaseDuration, store.leaseRenewal)
        let node = store.node
        let group = store.renewals
        group.enter()
        let thread = Thread { [self, session = store.session] in
            defer { group.leave() }
            let slot = ConnectionSlot { try session.open() }
            func set(_ until: String) -> Int? {
                // A node that cannot renew loses the lease.
                guard let connection = try? slot.connection() else { return nil }
                let transaction = SchemaTables(connection: connection, schema: schema)
                return try? transaction.run(
                    """
                    UPDATE @leases SET until = \(until)
                    WHERE name = '\(task.rawValue)' AND token = $1::bigint
                        AND holder = convert_from($2::bytea, 'UTF8')
                        AND until > clock_timestamp()
                    """, token, node
                ).affectedCount
            }
            let pause = DispatchTimeInterval.milliseconds(Int(renewal / .milliseconds(1)))
            while ended.wait(timeout: .now() + pause) == .timedOut {
                let now = ContinuousClock.now
                guard let count = set(PostgresOperations.end(after: duration)) else { continue }
                end.withLock { $0 = count == 1 ? now + duration : now }
            }
            _ = set("clock_timestamp()")
            slot.drop()
        }
        thread.name = "subledger-lease-\(task.rawValue)"
        thread.start()
    }

    var isHeld: Bool { end.withLock { $0 } > .now }

    func giveBack() { ended.signal() }
}

extension PostgresOperations {
    public func lease(_ task: ExclusiveTask) async throws(StoreError) -> (any Lease)? {
        try requireUsable()
        let now = ContinuousClock.now
        guard let token = try await takeLease(task) else { return nil }
        tokens.withLock { $0[task] = token }
        let renewal = LeaseRenewal(task, token: token, taken: now, of: self)
        return PostgresLease(renewal: renewal) { [weak self] in
            self?.tokens.withLock { if $0[task] == token { $0[task] = nil } }
        }
    }

    /// The next token, where the lease is free or has run out.
    private func takeLease(_ task: ExclusiveTask) async throws(StoreError) -> Int64? {
        let end = PostgresOperations.end(after: leaseDuration)
        return try await once { [node] transaction in
            try transaction.run(
                """
                INSERT INTO @leases AS held (name, holder, token, until)
                VALUES ('\(task.rawValue)', convert_from($1::bytea, 'UTF8'), 1, \(end))
                ON CONFLICT (name) DO UPDATE
                SET holder = excluded.holder, token = held.token + 1, until = excluded.until
                WHERE held.until <= clock_timestamp()
                RETURNING token
                """, node
            ).first?.int64(0)
        }
    }

    /// By the database's clock: those of nodes may be minutes apart.
    fileprivate static func end(after duration: Duration) -> String {
        "clock_timestamp() + \(Int64(duration / .milliseconds(1))) * interval '1 millisecond'"
    }

    /// Names this process, for people.
    static let processName =
        "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"
}
