import AppStore
public import AppStoreAPI
import Ledger
public import LedgerStore
internal import Projection
public import Queries

/// Delivers the changes of an environment to one endpoint: at least once, in order per chain.
///
/// The cursor moves only after every earlier change was accepted or stored as waiting, so a crash
/// repeats deliveries, with the same ids, and loses none.
public actor WebhookDelivery {
    let endpoint: WebhookEndpoint
    let feed: ChangeFeed
    let clock: any ServiceClock
    private let sender: WebhookSender
    let schedule: RetrySchedule
    private let report: @Sendable (ServingNote) -> Void

    private var row: WebhookEndpointRow?
    /// Waiting changes that are not parked, in feed order.
    var waiting: [WaitingChange] = []
    /// Chains in which, since the last accepted delivery, a change failed that had never failed
    /// before.
    private var failing: Set<ChainId> = []
    private var probes: Int64 = 0
    private var probeAt: Timestamp?
    /// The cursor that was read or stored last.
    var kept = ChangePlace.beginning
    private var reloadAt: Timestamp?
    /// The start of an endpoint without deliveries, while the feed has not reached it.
    private(set) var beginning: FeedBeginning?

    /// - `chance`: returns 0 ..< 1, the jitter of retries.
    public init(
        endpoint: WebhookEndpoint, feed: ChangeFeed, transport: any APITransport,
        clock: any ServiceClock,
        chance: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        report: @escaping @Sendable (ServingNote) -> Void = { _ in }
    ) {
        self.endpoint = endpoint
        self.feed = feed
        self.clock = clock
        sender = WebhookSender(endpoint: endpoint, transport: transport, clock: clock)
        schedule = RetrySchedule(chance: chance)
        self.report = report
    }

    private var operations: any OperationalState { feed.ledger.operations }

    private var isDown: Bool { failing.count >= WebhookLimits.downFailureCount }

    private func note(_ level: ServingNote.Level, _ code: String, _ text: String) {
        report(.webhook(endpoint.name, level, code, text))
    }

    /// Steps until the task is cancelled.
    public func run() async {
        feed.beginInterest()
        defer { feed.endInterest() }
        var pauseMilliseconds = FeedLimits.pollMilliseconds
        while !Task.isCancelled {
            var hasWorked = false
            var hasFailed = false
            await TraceContext.$current.withValue(TraceContext()) {
                do throws(StoreError) { hasWorked = try await step() } catch {
                    guard !Task.isCancelled else { return }
                    hasFailed = true
                    note(.warning, "webhookStoreFailed", "\(error)")
                }
            }
            // What was sent and could not be recorded is sent again.
            pauseMilliseconds =
                hasFailed
                ? min(pauseMilliseconds * 2, WebhookLimits.longestStorePauseMilliseconds)
                : FeedLimits.pollMilliseconds
            guard !hasWorked else { continue }
            do { try await clock.sleep(milliseconds: pauseMilliseconds) } catch { return }
        }
    }

    /// Retries due changes and delivers new ones; false when there was nothing to do.
    public func step() async throws(StoreError) -> Bool {
        guard let standing = try await load(), standing.disabledAt == nil else { return false }
        guard isDown else {
            let hasRetried = try await retry(standing)
            // Changes that fail again and again do not hold new ones back.
            guard !isDown, let row, row.disabledAt == nil else { return hasRetried }
            return try await advance(row) || hasRetried
        }
        if let probeAt, schedule.isAhead(probeAt, of: clock.now) { return false }
        // Unattempted changes are the better probe: a few changes that an endpoint always rejects
        // must not make it look down. Changes that only wait behind these cannot be attempted.
        if heads.contains(where: { $0.attempts == 0 }) { return try await retry(standing) }
        if try await advance(standing) { return true }
        return try await retry(standing)
    }

    // MARK: State

    /// Reads everything again with the next step: another node may deliver meanwhile.
    func forget() {
        (row, waiting, failing) = (nil, [], [])
        (probes, probeAt) = (0, nil)
        (kept, reloadAt, beginning) = (.beginning, nil, nil)
    }

    private func load() async throws(StoreError) -> WebhookEndpointRow? {
        // Another process may have enabled a disabled endpoint again.
        if let row, row.disabledAt == nil { return row }
        if let reloadAt, clock.now < reloadAt,
            reloadAt.milliseconds(since: clock.now) <= WebhookLimits.reloadMilliseconds
        {
            return nil
        }
        let found = try await begin()
        guard feed.horizon != nil else { return nil }
        // Loads all: `advance` starts nothing beyond the bound, and a change missing here would be
        // overtaken by later ones of its chain.
        waiting = try await operations.waiting(for: endpoint.name, limit: .max)
        var standing = found
        if try await !feed.ledger.holds(found.end) {
            standing = try await followOtherLog(found)
        } else if let beginning {
            guard let place = beginning.place else { return nil }
            standing.move(to: place)
            if standing != found { try await keep(standing, done: [], after: found.cursor) }
        }
        beginning = nil
        reloadAt = clock.now.advanced(byMilliseconds: WebhookLimits.reloadMilliseconds)
        row = standing
        kept = standing.cursor
        return standing
    }

    /// Returns the endpoint's row. A new endpoint starts now, and its start is stored at once:
    /// later events are delivered even if this process ends before the feed reaches the start, or
    /// another process delivers by then.
    ///
    /// If the row can be neither read nor written, a new endpoint still starts now: the start is
    /// kept in memory until it can be stored or an existing row is found.
    @discardableResult
    func begin() async throws(StoreError) -> WebhookEndpointRow {
        let known: WebhookEndpointRow?
        do throws(StoreError) { known = try await operations.webhookEndpoint(endpoint.name) } catch
        {
            if beginning == nil { beginning = try? await feed.beginning() }
            throw error
        }
        let found: WebhookEndpointRow
        if let known {
            found = known
        } else {
            let new = if let beginning { beginning } else { try await feed.beginning() }
            beginning = new
            found = try await operations.begin(
                try await pinned(WebhookEndpointRow(name: endpoint.name, cursor: new.start)))
        }
        if beginning?.start != found.cursor { beginning = try await keptBeginning(of: found) }
        return found
    }

    /// The start at which the endpoint still is; nil when it has moved on.
    private func keptBeginning(
        of found: WebhookEndpointRow
    ) async throws(StoreError) -> FeedBeginning? {
        guard found.cursor.isBeginning, try await feed.ledger.holds(found.end) else { return nil }
        return feed.beginning(at: found.cursor)
    }

    /// The row with the leaf hash of the event at its cursor.
    private func pinned(
        _ row: WebhookEndpointRow
    ) async throws(StoreError) -> WebhookEndpointRow {
        guard row.leafHash == nil else { return row }
        var row = row
        row.leafHash = try await feed.ledger.checkpoint(at: row.cursor.position)?.leafHash
        return row
    }

    /// Continues on another log, such as a restored backup: changes waiting at positions that it
    /// does not have cannot be delivered any more, and must not block its own later changes there.
    private func followOtherLog(
        _ known: WebhookEndpointRow
    ) async throws(StoreError) -> WebhookEndpointRow {
        note(
            .warning, "webhookCursorBeyondLog",
            "its cursor was at position \(known.cursor.position) of another log (a restored"
                + " backup?); delivery continues at the log's end")
        var row = known
        row.move(to: try await feed.end())
        row = try await pinned(row)
        let head = try await feed.logEnd()
        let gone = waiting.filter { $0.place.position > head }
        try await keep(row, done: gone.map(\.chainPlace), after: known.cursor)
        waiting.removeAll { $0.place.position > head }
        return row
    }

    // MARK: New changes

    private func advance(_ standing: WebhookEndpointRow) async throws(StoreError) -> Bool {
        guard waiting.count < WebhookLimits.waitingCount else { return false }
        let page = try await feed.page(after: standing.cursor)
        guard page.next > standing.cursor else { return false }
        let wanted = page.changes.filter { endpoint.filter.admits($0) }
        var row = standing
        row.move(to: page.next)
        guard !wanted.isEmpty else {
            self.row = row
            // Without deliveries the cursor is stored only now and then.
            if row.cursor.position - kept.position >= Int64(FeedLimits.pageEventCount) {
                _ = try await store(try await pinned(row), [], done: [])
            }
            return true
        }
        let held = Set(waiting.map(\.chain))
        let free = wanted.filter { !held.contains($0.chain) }
        let attempts = await post(WebhookSender.chains(free))
        guard !Task.isCancelled || attempts.contains(where: \.isDone) else { return false }
        let now = clock.now
        let behind = wanted.filter { held.contains($0.chain) }.map {
            WebhookAttempt(change: $0, outcome: nil, at: now)
        }
        try await recordResults(attempts + behind, &row)
        return true
    }

    // MARK: Waiting changes

    /// The first waiting change of every chain: the only ones that can be attempted.
    private var heads: [WaitingChange] {
        var seen: Set<ChainId> = []
        return waiting.filter { seen.insert($0.chain).inserted }
    }

    private func retry(_ standing: WebhookEndpointRow) async throws(StoreError) -> Bool {
        var heads = heads
        if isDown {
            heads =
                heads.min { ($0.attempts, $0.nextAt) < ($1.attempts, $1.nextAt) }.map { [$0] } ?? []
        } else {
            heads = schedule.due(heads, at: clock.now)
        }
        guard !heads.isEmpty else { return false }
        var chains: [[FeedChange]] = []
        var lost: [ChainPlace] = []
        for head in heads.prefix(WebhookLimits.concurrency) {
            let places = waiting.filter { $0.chain == head.chain }
                .prefix(WebhookLimits.chainBurstCount).map(\.place)
            let changes = try await feed.reader.changes(of: head.chain, at: Set(places))
            chains.append(changes)
            // Another catalogue or reducer derives other changes at these places.
            lost += places.filter { place in !changes.contains { $0.place == place } }
                .map { ChainPlace(place: $0, chain: head.chain) }
        }
        var row = standing
        let attempts = await post(chains)
        try await recordResults(attempts, &row, lost: lost)
        return true
    }

    // MARK: Outcomes

    private func post(_ chains: [[FeedChange]]) async -> [WebhookAttempt] {
        // An empty batch does not count as a probe.
        guard chains.contains(where: { !$0.isEmpty }) else { return [] }
        // An endpoint that rejects these again may accept all others: they do not make it down.
        let rejected = Set(waiting.lazy.filter { $0.attempts > 0 }.map(\.chainPlace))
        let wasDown = isDown
        var failing = failing
        var hasTaken = false
        let attempts = await sender.post(
            chains, concurrency: wasDown ? 1 : WebhookLimits.concurrency,
            // This sender posts `chain.erased` itself, afterwards.
            unless: nil
        ) { finished in
            if finished.contains(where: \.isDone) {
                failing = []
                hasTaken = true
            }
            guard let failed = finished.first(where: \.isFailure) else { return true }
            if !rejected.contains(failed.change.chainPlace) { failing.insert(failed.change.chain) }
            let isGone = failed.outcome?.isGone ?? false
            return !isGone && failing.count < WebhookLimits.downFailureCount
        }
        self.failing = failing
        note(wasDown: wasDown, hasTaken: hasTaken)
        return attempts
    }

    private func note(wasDown: Bool, hasTaken: Bool) {
        if isDown {
            probes = wasDown ? probes + 1 : 1
            let delay = schedule.delay(
                after: probes, longest: WebhookLimits.longestProbeMilliseconds)
            probeAt = clock.now.advanced(byMilliseconds: delay)
            if !wasDown { note(.warning, "webhookDown", "down; no change is lost") }
        } else if wasDown, hasTaken {
            probeAt = nil
            let now = clock.now
            for index in waiting.indices { waiting[index].nextAt = min(waiting[index].nextAt, now) }
            note(.notice, "webhookBack", "back")
        }
    }

    /// Stores the results of the attempts before going on.
    private func recordResults(
        _ attempts: [WebhookAttempt], _ row: inout WebhookEndpointRow, lost: [ChainPlace] = []
    ) async throws(StoreError) {
        var known = Dictionary(uniqueKeysWithValues: waiting.map { ($0.chainPlace, $0) })
        var done = lost
        var changed: [WaitingChange] = []
        var parked = 0
        for attempt in attempts {
            let place = attempt.change.chainPlace
            if let outcome = attempt.outcome {
                row.lastAttemptAt = attempt.at
                row.lastOutcome = outcome.text
            }
            if attempt.isDone {
                row.lastSuccessAt = attempt.at
                done.append(place)
                continue
            }
            let item = waitingItem(attempt, known[place])
            if item.parkedAt != nil { parked += 1 }
            known[place] = item
            changed.append(item)
        }
        for place in done { known[place] = nil }
        parked += parkOld(&known, &changed)
        let isGone = attempts.contains { $0.outcome?.isGone ?? false }
        if isGone { row.disabledAt = clock.now }
        row = try await pinned(row)
        for place in try await store(row, changed, done: done) { known[place] = nil }
        self.row = row
        waiting = known.values.filter { $0.parkedAt == nil }.sorted {
            $0.chainPlace < $1.chainPlace
        }
        if isGone {
            note(
                .warning, "webhookDisabled",
                "answered 410 and is disabled; `subledger webhooks test` enables it again")
        }
        guard parked > 0 else { return }
        note(
            .warning, "webhookParked",
            "\(parked.named("change", "changes")) parked after three days; redeliver with"
                + " `subledger webhooks redeliver`")
        _ = try await operations.dropParked(
            for: endpoint.name, keeping: WebhookLimits.parkedCount)
    }

    private func waitingItem(_ attempt: WebhookAttempt, _ known: WaitingChange?) -> WaitingChange {
        var item =
            known
            ?? WaitingChange(
                place: attempt.change.place, chain: attempt.change.chain, attempts: 0,
                firstAt: attempt.at, nextAt: attempt.at)
        guard let outcome = attempt.outcome else { return item }
        item.attempts += 1
        // If the clock was set back since, this attempt counts as the first.
        item.firstAt = min(item.firstAt, attempt.at)
        item.outcome = outcome.text
        let delay = schedule.delay(
            after: item.attempts, longest: outcome.longestDelayMilliseconds)
        item.nextAt = attempt.at.advanced(byMilliseconds: delay)
        if RetrySchedule.isOver(since: item.firstAt, at: attempt.at) { item.parkedAt = attempt.at }
        note(
            .notice, "webhookFailed",
            "\(attempt.change.id) not accepted (\(outcome.reasonedText), attempt \(item.attempts))")
        return item
    }

    /// At an endpoint that is down, changes that waited too long are parked together: single probes
    /// would take longer than they waited.
    private func parkOld(
        _ known: inout [ChainPlace: WaitingChange], _ changed: inout [WaitingChange]
    ) -> Int {
        guard isDown else { return 0 }
        let now = clock.now
        var count = 0
        for (place, item) in known.sorted(by: { $0.key < $1.key })
        where item.parkedAt == nil && RetrySchedule.isOver(since: item.firstAt, at: now) {
            var item = item
            item.parkedAt = now
            known[place] = item
            changed.append(item)
            count += 1
        }
        return count
    }
}
