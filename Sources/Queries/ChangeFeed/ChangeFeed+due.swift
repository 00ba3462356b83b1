internal import AppStore
import Ledger
internal import LedgerStore
internal import Projection
internal import SQLiteStore
import Synchronization

extension ChangeFeed {
    // MARK: Emitting

    /// Stores which chains the clock changed, before the horizon exposes the changes.
    func emitDue(_ now: Timestamp, at head: Int64) async throws(StoreError) {
        let (due, last, kept, keptPosition, hasOtherRules) = state.withLock { state in
            (
                state.dues.take(by: now), state.at, state.keptAt, state.keptPosition,
                state.hasOtherRules
            )
        }
        var changed: [(first: Timestamp, chain: ChainId)] = []
        if !due.isEmpty {
            do throws(StoreError) {
                changed = try await chains(of: due.sorted(), changedBy: now, at: head)
            } catch {
                note(due.map { (now, $0) })
                throw error
            }
            // Another process on the directory may have stored these changes before.
            state.withLock { $0.version += 1 }
        }
        let age = kept.map { abs(now.milliseconds(since: $0)) } ?? .max
        let isOld = age >= FeedLimits.clockMilliseconds
        // Other nodes see no more than what is stored.
        let isFollowed =
            ledger.isShared && (head != keptPosition || age >= FeedLimits.sharedClockMilliseconds)
        guard !changed.isEmpty || (isOld && now != last) || isFollowed || hasOtherRules else {
            return
        }
        changed.sort { ($0.first, $0.chain) < ($1.first, $1.chain) }
        do throws(StoreError) {
            try await keepClock(now, at: head, chains: changed.map(\.chain))
        } catch {
            note(due.map { (now, $0) })
            state.withLock { state in
                // It may be stored all the same.
                state.keptAt = nil
                guard ledger.isShared else { return }
                // A failover may have lost what was stored before.
                state.at = nil
                state.dues.windowEnd = Timestamp(milliseconds: .min)
            }
            throw error
        }
        let hasChanged = !changed.isEmpty || kept == nil
        state.withLock { state in
            state.keptAt = now
            state.keptPosition = head
            if hasChanged { state.version += 1 }
        }
    }

    /// Returns the chains that actually changed by now; records when each changes next.
    private func chains(
        of due: [ChainId], changedBy now: Timestamp, at head: Int64
    ) async throws(StoreError) -> [(first: Timestamp, chain: ChainId)] {
        let reading = ClockReading(position: head, at: now, ordinal: 0)
        var changed: [(first: Timestamp, chain: ChainId)] = []
        for some in due.pieces(of: FeedLimits.dueChainCount) {
            let before = try await reader.streams(of: some, through: head)
            let after = try await reader.streams(of: some, through: head, extra: reading)
            for ((chain, old), (_, new)) in zip(before, after) {
                if new.marks.count > old.marks.count {
                    changed.append((old.nextDue ?? now, chain))
                }
                if let next = new.nextDue { note([(next, chain)]) }
            }
        }
        return changed
    }

    // MARK: Following

    /// The time last stored by the node that runs the clock, while this node does not follow it
    /// yet. Nil if no other node runs the clock: a stored time may then be old.
    func followedTime() async throws(StoreError) -> Timestamp? {
        guard !lease.isHeld, state.withLock({ $0.followed }) == nil,
            let operations = ledger.operations as? any SharedOperations
        else { return nil }
        let leases = try await operations.leases()
        guard leases.contains(where: { $0.task == ExclusiveTask.feedClock.rawValue }) else {
            return nil
        }
        return try await operations.feedClock()?.at
    }

    /// Takes over the horizon of the node that runs the clock, as far as this one has projected.
    func follow() async throws(StoreError) {
        guard let store = projections(), let kept = try await ledger.operations.feedClock() else {
            return
        }
        let reached = min(
            try await ledger.facts.checkpoint().position, try await store.checkpoint().position)
        let head = min(kept.end.position, reached)
        let followed = FollowedClock(
            position: head, at: head == kept.end.position ? kept.at : nil, stored: kept.at)
        state.withLock { state in
            guard head >= state.horizon ?? 0 else { return }
            if state.followed != followed { state.version += 1 }
            state.followed = followed
            state.at = nil
            state.horizon = head
            state.aim = max(state.aim, head)
            let passed = state.beginnings.all.filter(followed.hasPassed)
            for beginning in passed { beginning.resolve(beginning.start) }
            state.beginnings.remove(passed)
        }
    }

    // MARK: Due times

    func note(_ chains: Set<ChainId>, through head: Int64) async throws(StoreError) {
        for some in chains.sorted().pieces(of: FeedLimits.dueChainCount) {
            note(try await reader.dues(of: some, through: head))
        }
    }

    func note(_ dues: [(at: Timestamp, chain: ChainId)]) {
        state.withLock { state in
            for due in dues { state.dues.add(due.at, due.chain) }
        }
    }

    /// Scans all chains for changes that come due within the window.
    func scan(
        _ store: ProjectionsStore, from: Timestamp, _ now: Timestamp, through head: Int64
    ) async throws(StoreError) {
        let end = now.advanced(byMilliseconds: FeedLimits.windowMilliseconds)
        state.withLock { state in
            state.dues.removeAll()
            // Set at the end, so that a failed scan is repeated.
            state.dues.windowEnd = Timestamp(milliseconds: .min)
        }
        // Overdue changes are emitted after the leeway.
        let leeway = ledger.catalogue.leewayMilliseconds
        var cursor: Int64 = 0
        var found: [(at: Timestamp, chain: ChainId)] = []
        while let piece = try await store.changing(
            from: from.advanced(byMilliseconds: -leeway - 1), through: end, after: cursor)
        {
            cursor = piece.next
            // A scan by other rules reads every chain, most of which change much later.
            for some in piece.chains.pieces(of: FeedLimits.dueChainCount) {
                found += try await reader.dues(of: some, through: head).filter { $0.at <= end }
            }
        }
        state.withLock { $0.dues.windowEnd = end }
        note(found)
    }
}
