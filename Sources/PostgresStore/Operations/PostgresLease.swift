internal import Dispatch
internal import Foundation
public import LedgerStore
internal import Synchronization

/// A lease of a task among all nodes, by the database's clock; renewed until the last reference is
/// released.
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
        renewal.release()
    }
}

/// Renews a lease on its own thread and connection, and releases it at the end.
///
/// Compares holder and token: releases that number tokens reissue one after a failover that lost a
/// lease.
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
        let (duration, renewal) = (store.leaseDuration, store.leaseRenewal)
        let node = store.node
        let group = store.renewals
        group.enter()
        let thread = Thread { [self, session = store.session] in
            defer { group.leave() }
            let slot = ConnectionSlot { try session.open() }
            func set(_ until: String) -> Int? {
                // A node that cannot renew loses the lease.
                try? slot.again {
                    try SchemaTables(connection: slot.connection()).run(
                        """
                        UPDATE @leases SET until = \(until)
                        WHERE name = '\(task.rawValue)' AND token = $1::bigint
                            AND holder = convert_from($2::bytea, 'UTF8')
                            AND until > clock_timestamp()
                        """, token, node
                    ).affectedCount
                }
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

    func release() { ended.signal() }
}

extension PostgresOperations {
    public func lease(_ task: ExclusiveTask) async throws(StoreError) -> (any Lease)? {
        try requireUsable()
        // One that ran out is still held by its task, whose writes would pass under a new token.
        guard tokens.withLock({ $0[task] == nil }) else { return nil }
        let now = ContinuousClock.now
        let earlier = unconfirmedTokens.withLock { $0.removeValue(forKey: task) }
        let token = earlier ?? Int64.random(in: 1..<Int64.max)
        do throws(StoreError) {
            guard try await takeLease(task, token) else { return nil }
        } catch {
            unconfirmedTokens.withLock { $0[task] = token }
            throw error
        }
        tokens.withLock { $0[task] = token }
        let renewal = LeaseRenewal(task, token: token, taken: now, of: self)
        return PostgresLease(renewal: renewal) { [weak self] in
            self?.tokens.withLock { if $0[task] == token { $0[task] = nil } }
        }
    }

    /// Whether the lease is now held under `token`: it was free, had run out, or an earlier
    /// statement with that token took it whose answer was lost.
    private func takeLease(
        _ task: ExclusiveTask, _ token: Int64
    ) async throws(StoreError) -> Bool {
        let end = PostgresOperations.end(after: leaseDuration)
        return try await once { [node] transaction in
            try transaction.run(
                """
                INSERT INTO @leases AS held (name, holder, token, until)
                VALUES ('\(task.rawValue)', convert_from($1::bytea, 'UTF8'), $2::bigint, \(end))
                ON CONFLICT (name) DO UPDATE
                SET holder = excluded.holder, token = excluded.token, until = excluded.until
                WHERE held.until <= clock_timestamp() OR held.token = excluded.token
                """, node, token
            ).affectedCount == 1
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
