internal import AppStore
public import Ledger
public import LedgerStore
public import Projection
public import SQLiteStore
import Signing
import Synchronization

/// The live change feed of one environment: its horizon, and the changes caused by the clock.
///
/// Readers never pass the horizon, so the clock changes at a position are final before any reader
/// passes it. Two processes on one data directory have separate horizons and clocks, and may emit a
/// due change slightly earlier or later than each other; only one delivers webhooks
/// (`ExclusiveTask.webhooks`). Of the nodes of a shared log one runs the clock and stores its
/// horizon; the others follow it, so that cursors mean the same on each.
public final class ChangeFeed: Sendable {
    public let ledger: EnvironmentLedger
    package let reader: ChangeReader
    let clock: any ServiceClock
    let lease: KeptLease
    /// Whether this node may run the tasks that one node runs for all: it follows the log, or no
    /// node is ahead of it.
    package let isCurrent: @Sendable () -> Bool
    /// The current projections, to find coming changes in; nil before there are any.
    let projections: @Sendable () -> ProjectionsStore?
    /// Identifies reducer, decoder and catalogue: others make other changes.
    private let rules: Digest
    let state = Mutex(State())

    struct State {
        /// The last position readers may see; nil before the first step.
        var horizon: Int64?
        var dues = DueTimes()
        /// Clock changes up to this time have been emitted.
        var at: Timestamp?
        var keptAt: Timestamp?
        var keptPosition: Int64?
        /// Whether the stored clock emitted by other rules: changes may be due before `at`.
        var hasOtherRules = false
        /// How often the lease was taken when the clock was read last.
        var takenCount = 0
        /// The stored clock as this node follows it; nil while it runs the clock itself.
        var followed: FollowedClock?
        /// Chains of events up to this position have been checked for clock changes, possibly by a
        /// previous process.
        var lookedThrough: Int64 = 0
        /// Subscriber count; the feed idles at zero.
        var interest = 0
        /// Rises whenever there may be new changes to read.
        var version = 0
        var recent: [RecentPage] = []
        /// Calls of `forget`.
        var erasureCount = 0
        /// The highest position any step aims for.
        var aim: Int64 = 0
        /// Positions at which a step must end once, for new subscribers.
        var beginnings = WaitingBeginnings()
        /// The log's end at the first step; 0 after that step.
        var origin: Int64?
    }

    static let recentPageCount = 4
    private let pageTurns = AsyncLock()

    public init(
        ledger: EnvironmentLedger, clock: any ServiceClock,
        projections: @escaping @Sendable () -> ProjectionsStore?,
        isCurrent: @escaping @Sendable () -> Bool = { true }
    ) {
        self.ledger = ledger
        self.clock = clock
        lease = KeptLease(.feedClock, in: ledger)
        self.isCurrent = isCurrent
        self.projections = projections
        rules = SHA256.hash(
            Array("\(Lifecycle.reducerVersion) \(Fact.decoderVersion) ".utf8)
                + ledger.catalogue.canonicalBytes)
        reader = ChangeReader(ledger: ledger)
    }

    /// The last position readers may see; nil before the first step.
    public var horizon: Int64? { state.withLock { $0.horizon } }

    /// Rises whenever there may be new changes; cheap to poll.
    public var version: Int { state.withLock { $0.version } }

    /// Registers a subscriber, which keeps the feed running. Without one the feed idles, and later
    /// resumes its clock from where it stopped.
    public func beginInterest() { state.withLock { $0.interest += 1 } }

    /// Ends what `beginInterest` began.
    public func endInterest() { state.withLock { $0.interest -= 1 } }

    /// The end of the log; a cursor beyond it belongs to another log.
    public func logEnd() async throws(StoreError) -> Int64 {
        try await ledger.log.head().position
    }

    /// The next changes after a cursor, up to the horizon.
    public func page(after cursor: ChangePlace) async throws(StoreError) -> ChangePage {
        // Readers at the same place, also one that connects again, wait for one computation.
        try await pageTurns.pass("\(cursor)") { () async throws(StoreError) in
            try await computedPage(after: cursor)
        }
    }

    private func computedPage(
        after cursor: ChangePlace
    ) async throws(StoreError) -> ChangePage {
        let (horizon, version, erasureCount, known) = state.withLock { state in
            let known = state.recent.first {
                $0.cursor == cursor && ($0.isSettled || $0.version == state.version)
            }
            return (state.horizon, state.version, state.erasureCount, known)
        }
        guard let horizon, cursor.position <= horizon else {
            return ChangePage(next: cursor, isEnd: true)
        }
        if let known { return known.page }
        let page = try await reader.page(after: cursor, through: horizon)
        // Pages below the horizon are final; at the horizon, readings may follow.
        let recent = RecentPage(
            cursor: cursor, version: version, isSettled: page.next.position < horizon, page: page)
        state.withLock { state in
            // It may name chains that were erased meanwhile.
            guard state.erasureCount == erasureCount else { return }
            state.recent.append(recent)
            if state.recent.count > ChangeFeed.recentPageCount { state.recent.removeFirst() }
        }
        return page
    }

    /// Cursor for a new subscriber, after everything emitted so far.
    public func end() async throws(StoreError) -> ChangePlace {
        guard let horizon else { return .afterEvent(at: try await ledger.log.head().position) }
        var cursor = ChangePlace.afterEvent(at: horizon)
        while true {
            let page = try await reader.page(after: cursor, through: horizon)
            cursor = page.next
            if page.isEnd { return cursor }
        }
    }

    /// The start of a new subscription: excludes everything older and misses nothing newer. The
    /// feed reaches it only while it has subscribers.
    public func beginning() async throws(StoreError) -> FeedBeginning {
        while true {
            let end = try await logEnd()
            let now = try await followedTime() ?? clock.now
            let beginning: FeedBeginning? = state.withLock { state in
                // By the clock of the node that runs the feed.
                let at = state.followed?.stored ?? now
                // A running step may pass it.
                guard state.aim <= end else { return nil }
                let beginning = FeedBeginning(position: end, at: at)
                if state.horizon == end, state.at == at {
                    beginning.resolve(.after(reading: at, at: end))
                } else {
                    state.beginnings.add(beginning)
                }
                return beginning
            }
            if let beginning { return beginning }
        }
    }

    /// The start of a subscription that began there earlier, possibly in another process, and has
    /// received nothing yet.
    ///
    /// - Parameter kept: a start on this log; one on another log is never reached.
    package func beginning(at kept: ChangePlace) -> FeedBeginning {
        let beginning = FeedBeginning(
            position: kept.position, at: Timestamp(milliseconds: kept.clock), isKept: true)
        state.withLock { state in
            if let horizon = state.horizon, let at = state.at,
                (horizon, at) >= (beginning.position, beginning.at)
            {
                beginning.resolve(beginning.start)
            } else {
                state.beginnings.add(beginning)
            }
        }
        return beginning
    }

    /// Forgets pages kept for other readers: they may name chains that were erased.
    public func forget() {
        state.withLock { state in
            state.recent = []
            state.erasureCount += 1
        }
    }

    // MARK: The clock

    /// Steps while there are subscribers, until the task is cancelled. A failed step is retried;
    /// the first of equal failures in succession is reported.
    public func run(_ report: @Sendable (StoreError) -> Void = { _ in }) async {
        defer { lease.release() }
        var reported: StoreError?
        while !Task.isCancelled {
            if state.withLock({ $0.interest }) > 0 {
                do throws(StoreError) {
                    try await step()
                    reported = nil
                } catch {
                    if error != reported, !Task.isCancelled { report(error) }
                    reported = error
                }
            } else {
                lease.release()
                // It is out of date when the next subscriber comes.
                state.withLock { $0.followed = nil }
            }
            do { try await clock.sleep(milliseconds: FeedLimits.pollMilliseconds) } catch { return }
        }
    }

    /// Takes in new events, and emits due clock changes. One step at a time.
    public func step() async throws(StoreError) {
        guard try await lease.take(if: isCurrent()) else { return try await follow() }
        let takenCount = lease.takenCount
        state.withLock { state in
            guard state.takenCount != takenCount else { return }
            // From where another node stopped.
            state.takenCount = takenCount
            state.followed = nil
            state.at = nil
            // Derived data must hold what the other node had read.
            state.origin = nil
            state.dues.windowEnd = Timestamp(milliseconds: .min)
        }
        do throws(StoreError) { while try await advance() {} } catch {
            guard ledger.isShared, error.code == .fileLocked else { throw error }
            // Another node took over, or a failover lost what was stored; nothing was stored now,
            // and nothing shown.
            lease.release()
        }
    }

    /// Runs one part of a step: up to the next subscription start, else to the end.
    ///
    /// - Returns: whether there is another part.
    private func advance() async throws(StoreError) -> Bool {
        guard let store = projections() else { return false }
        let end = try await ledger.log.head().position
        let reached = min(
            end, try await ledger.facts.checkpoint().position,
            try await store.checkpoint().position)
        try await begin(reached)
        // The first step must cover all events present at the start: later derived data would hold
        // changes that came due long before the clock it is checked against.
        let origin = state.withLock { state in
            let origin = state.origin ?? end
            state.origin = origin
            return origin
        }
        guard reached >= origin else { return false }
        let part = nextPart(reached)
        // While derived data is being rebuilt its position is lower; the horizon never goes back.
        guard part.head >= part.horizon else { return false }
        if part.windowEnd < part.now {
            try await scan(store, from: part.scanStart, part.now, through: part.head)
        }
        // A scan finds changes that come due after the feed's time. A change of a new event that
        // came due between its arrival and that time must be looked up separately.
        try await recordDues(after: part.lookedThrough, through: part.head)
        try await emitDue(part.now, at: part.head)
        let place = ChangePlace.after(reading: part.now, at: part.head)
        state.withLock { state in
            // What another process stored before a scan is not due any more.
            if state.horizon != part.head || part.windowEnd < part.now { state.version += 1 }
            state.horizon = part.head
            state.at = part.now
            state.hasOtherRules = false
            state.origin = 0
            // After a clock that was ahead has been corrected, far future entries need not be held:
            // scan again.
            if part.now < part.at { state.dues.windowEnd = Timestamp(milliseconds: .min) }
            for beginning in part.beginnings { beginning.resolve(place) }
            state.beginnings.remove(part.beginnings)
        }
        return !part.beginnings.isEmpty
    }

    /// The next part, ending at the first place and time at which a subscription starts.
    private func nextPart(_ reached: Int64) -> FeedStep {
        let time = clock.now
        return state.withLock { state in
            // Another process has passed the stored start of a subscription.
            let passed = state.beginnings.all.filter { $0.position < state.horizon ?? 0 }
            for beginning in passed { beginning.resolve(beginning.start) }
            state.beginnings.remove(passed)
            let waiting = state.beginnings.all
            let first = waiting.min { ($0.position, $0.at) < ($1.position, $1.at) }
            let head = min(reached, first?.position ?? reached)
            let at = state.at ?? time
            // Without new events, readings are in order of their times. After a new event they may
            // go back, so that a corrected clock takes effect.
            let looked = max(state.horizon ?? head, state.lookedThrough)
            let isNew = looked < head
            let aimed = min(time, first?.at ?? time)
            // Changes by other rules need a reading of their own, after those that are stored.
            let least = state.hasOtherRules ? at.advanced(byMilliseconds: 1) : at
            let now = isNew ? aimed : max(aimed, least)
            state.aim = max(state.aim, head)
            // After a backward clock change it would take long to reach the original time.
            let settled = waiting.filter { $0.position == head && min($0.at, time) <= now }
            return FeedStep(
                head: head, horizon: state.horizon ?? head, lookedThrough: looked,
                at: at, scanStart: state.hasOtherRules ? Timestamp(milliseconds: 0) : at,
                now: now, windowEnd: state.dues.windowEnd, beginnings: settled)
        }
    }

    /// Resumes where the last process stopped; without a stored clock, in 1970.
    private func begin(_ head: Int64) async throws(StoreError) {
        guard state.withLock({ $0.at }) == nil else { return }
        var kept = try await ledger.operations.feedClock()
        // What another catalogue or reducer makes due earlier was never emitted.
        let hasOtherRules =
            kept.map { $0.rules != clockHash($0.at, at: $0.end.position) } ?? false
        if let end = kept?.end, try await !ledger.holds(end) {
            let fork = try await ledger.lastReadingEnd(before: end.position)
            try await ledger.operations.forgetClock(after: fork)
            kept = try await ledger.operations.feedClock()
        }
        state.withLock { state in
            // Without a stored clock (the ledger's first feed, or a lost file), everything that the
            // clock alone made true is checked once, and emitted before any read.
            state.at = kept?.at ?? Timestamp(milliseconds: 0)
            state.keptAt = state.at
            state.keptPosition = kept?.end.position
            guard let kept else { return }
            state.hasOtherRules = hasOtherRules
            state.lookedThrough = kept.end.position
            state.horizon = min(kept.end.position, head)
            // Readers that found no horizon before must look again.
            state.version += 1
        }
    }

    /// The hash stored with the clock, of the rules and of the row itself: a release that changes
    /// the row and leaves the hash as it was emits by other rules.
    private func clockHash(_ at: Timestamp, at position: Int64) -> Digest {
        SHA256.hash(rules.bytes + Array("\(position) \(at.milliseconds)".utf8))
    }

    func keepClock(
        _ at: Timestamp, at head: Int64, chains: [ChainId] = []
    ) async throws(StoreError) {
        let end = try await ledger.checkpoint(at: head) ?? .start
        let (position, time) = state.withLock { ($0.keptPosition, $0.keptAt) }
        var last: (position: Int64, at: Timestamp)?
        if ledger.isShared, let position, let time { last = (position, time) }
        try await ledger.operations.keepClock(
            end: end, at: at, rules: clockHash(at, at: end.position), chains: chains, after: last)
        guard !chains.isEmpty else { return }
        // Derived data may not include an erasure yet; a later one removes the readings itself.
        let erasures = try await ledger.log.erasedChains(after: head)
        let erased = erasures.isEmpty ? [] : chains.filter { erasures[ErasedChain($0)] != nil }
        guard !erased.isEmpty else { return }
        try await ledger.operations.erase(chains: erased, ids: [], positions: [])
    }

    /// Records when the chains of new events change next, or should have changed.
    private func recordDues(after position: Int64, through head: Int64) async throws(StoreError) {
        var position = position
        while position < head {
            let end = min(head, position + FeedLimits.newEventCount)
            var chains: Set<ChainId> = []
            while position < end {
                let events = try await ledger.log.events(
                    after: position, through: end, damaged: .marked)
                guard let last = events.last else { break }
                for event in events { chains.formUnion(try await ledger.chains(of: event)) }
                position = last.position
            }
            position = end
            try await note(chains, through: head)
        }
    }
}
