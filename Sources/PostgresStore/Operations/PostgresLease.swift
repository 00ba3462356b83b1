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

/// Renews a lease on its own thread, and releases it at the end.
///
/// Compares holder and token: earlier versions of this program number the tokens, and give a number
/// again after a failover that lost a lease.
final class LeaseRenewal: Sendable {
    private let released = Mutex(false)
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
        let thread = Thread { [self, leasing = store.leasing] in
            defer { group.leave() }
            /// Nil where it is unknown whether the lease is held.
            func set(_ until: String) -> (isHeld: Bool, sent: ContinuousClock.Instant)? {
                leasing.wait { slot in
                    try slot.again {
                        let tables = SchemaTables(connection: try slot.connection())
                        let now = ContinuousClock.now
                        let count = try tables.run(
                            """
                            UPDATE @leases SET until = \(until)
                            WHERE name = '\(task.rawValue)' AND token = $1::bigint
                                AND holder = convert_from($2::bytea, 'UTF8')
                                AND until > clock_timestamp()
                            """, token, node
                        ).affectedCount
                        return (isHeld: count == 1, sent: now)
                    }
                }
            }
            var (failures, pause) = (0, renewal)
            while !isReleased(within: pause) {
                guard let answer = set(PostgresOperations.end(after: duration)) else {
                    // At once: connecting takes seconds for each host that is lost.
                    failures += 1
                    pause = min(renewal, PostgresLimits.pause(failures))
                    continue
                }
                (failures, pause) = (0, renewal)
                end.withLock { $0 = answer.isHeld ? answer.sent + duration : answer.sent }
            }
            _ = set("clock_timestamp()")
        }
        thread.name = "subledger-lease-\(task.rawValue)"
        thread.start()
    }

    var isHeld: Bool { end.withLock { $0 } > .now }

    func release() { released.withLock { $0 = true } }

    /// Whether the lease is released before a pause is over. Sleeps in short turns: timed waits of
    /// Dispatch end by the clock of the machine, and outlast the lease where that is set back.
    private func isReleased(within pause: Duration) -> Bool {
        let end = ContinuousClock.now + pause
        while !released.withLock({ $0 }) {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return false }
            usleep(UInt32(min(left, .milliseconds(100)) / .microseconds(1)) + 1)
        }
        return true
    }
}

extension ConnectionThreads {
    /// Runs `body` on one of the threads while this one waits; nil where it throws, and after
    /// `stop`.
    fileprivate func wait<Value: Sendable>(
        for body: @escaping @Sendable (ConnectionSlot) throws -> Value
    ) -> Value? {
        let done = DispatchSemaphore(value: 0)
        let found = Mutex<Value?>(nil)
        let isAdded = add { [self] slot in
            if let value = try? body(slot) {
                found.withLock { $0 = value }
                noteAnswer()
            }
            done.signal()
        }
        guard isAdded else { return nil }
        done.wait()
        return found.withLock { $0 }
    }
}

extension PostgresOperations {
    public func lease(_ task: ExclusiveTask) async throws(StoreError) -> (any Lease)? {
        try requireUsable()
        // One that ran out is still held by its task, whose writes would pass under a new token.
        guard tokens.withLock({ $0[task] == nil }) else { return nil }
        let earlier = unconfirmedTokens.withLock { $0.removeValue(forKey: task) }
        let token = earlier ?? Int64.random(in: 1..<Int64.max)
        let taken: ContinuousClock.Instant
        do throws(StoreError) {
            guard let sent = try await takeLease(task, token) else { return nil }
            taken = sent
        } catch {
            unconfirmedTokens.withLock { $0[task] = token }
            throw error
        }
        tokens.withLock { $0[task] = token }
        let renewal = LeaseRenewal(task, token: token, taken: taken, of: self)
        return PostgresLease(renewal: renewal) { [weak self] in
            self?.tokens.withLock { if $0[task] == token { $0[task] = nil } }
        }
    }

    /// Nil unless the lease is now held under `token`: it was free, had run out, an earlier
    /// statement with that token took it whose answer was lost, or it ends later than any that is
    /// taken now. The database's clock then went back; a holder that still runs loses the lease.
    ///
    /// On the connection that renews it: opening one may take longer than a lease lasts.
    ///
    /// - Returns: a time before the statement.
    private func takeLease(
        _ task: ExclusiveTask, _ token: Int64
    ) async throws(StoreError) -> ContinuousClock.Instant? {
        let end = PostgresOperations.end(after: leaseDuration)
        let latest = latest
        return try await once(on: leasing) { [node] transaction in
            let now = ContinuousClock.now
            let count = try transaction.run(
                """
                INSERT INTO @leases AS held (name, holder, token, until)
                VALUES ('\(task.rawValue)', convert_from($1::bytea, 'UTF8'), $2::bigint, \(end))
                ON CONFLICT (name) DO UPDATE
                SET holder = excluded.holder, token = excluded.token, until = excluded.until
                WHERE held.until <= clock_timestamp() OR held.until > \(latest)
                    OR held.token = excluded.token
                """, node, token
            ).affectedCount
            return count == 1 ? now : nil
        }
    }

    /// In SQL; a time beyond it was written before the database's clock went back, or by a server
    /// whose clock was ahead.
    var latest: String { PostgresOperations.end(after: leaseDuration * 2) }

    /// By the database's clock: those of nodes may be minutes apart.
    fileprivate static func end(after duration: Duration) -> String {
        "clock_timestamp() + \(Int64(duration / .milliseconds(1))) * interval '1 millisecond'"
    }

    /// Names this process, for people.
    static let processName =
        "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"
}
