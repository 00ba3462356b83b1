public import AppStore
public import AppStoreAPI
import Ledger
public import LedgerStore
public import Projection
public import Queries
internal import SQLiteStore
import Signing

/// The result of posting one change.
struct WebhookAttempt: Sendable {
    let change: FeedChange
    /// Nil: not attempted, because an earlier change of its chain failed, or for lack of time.
    let outcome: WebhookOutcome?
    let at: Timestamp

    var isDone: Bool { outcome?.isSuccess ?? false }
    var isFailure: Bool { outcome.map { !$0.isSuccess } ?? false }
}

/// Posts changes to one endpoint: several chains concurrently, the changes of one chain in order.
public struct WebhookSender: Sendable {
    let endpoint: WebhookEndpoint
    let transport: any APITransport
    let clock: any ServiceClock

    public init(
        endpoint: WebhookEndpoint, transport: any APITransport, clock: any ServiceClock
    ) {
        self.endpoint = endpoint
        self.transport = transport
        self.clock = clock
    }

    /// Groups changes in feed order by chain, in the order of their first ones.
    static func chains(_ changes: [FeedChange]) -> [[FeedChange]] {
        Dictionary(grouping: changes, by: \.chain).values.sorted {
            $0[0].chainPlace < $1[0].chainPlace
        }
    }

    /// Posts `chains`, each element the changes of one chain in order. `after` is called with every
    /// finished chain and returns whether another one may start; the rest is not attempted. Nor is
    /// a change of which `isErased` holds, or what follows it in its chain.
    func post(
        _ chains: [[FeedChange]], concurrency: Int,
        unless isErased: (@Sendable (FeedChange) async -> Bool)?,
        after: ([WebhookAttempt]) -> Bool
    ) async -> [WebhookAttempt] {
        var attempts: [WebhookAttempt] = []
        await withTaskGroup(of: [WebhookAttempt].self) { group in
            var next = 0
            var mayBegin = true
            func begin() {
                guard mayBegin, next < chains.count else { return }
                let changes = chains[next]
                next += 1
                group.addTask { await post(changes, unless: isErased) }
            }
            for _ in 0..<concurrency { begin() }
            while let finished = await group.next() {
                attempts += finished
                mayBegin = after(finished) && !Task.isCancelled && mayBegin
                begin()
            }
            let now = clock.now
            attempts += chains[next...].joined().map {
                WebhookAttempt(change: $0, outcome: nil, at: now)
            }
        }
        return attempts
    }

    private func post(
        _ changes: [FeedChange], unless isErased: (@Sendable (FeedChange) async -> Bool)?
    ) async -> [WebhookAttempt] {
        var attempts: [WebhookAttempt] = []
        var isBlocked = false
        for change in changes {
            if !isBlocked, let isErased { isBlocked = await isErased(change) }
            let now = clock.now
            guard !isBlocked, !Task.isCancelled else {
                attempts.append(WebhookAttempt(change: change, outcome: nil, at: now))
                continue
            }
            let outcome = await WebhookOutcome(
                of: endpoint.request(change, at: now), over: transport)
            // A cancelled task breaks the connection itself, which says nothing about the endpoint.
            let isOurs = Task.isCancelled && !outcome.isSuccess
            attempts.append(
                WebhookAttempt(change: change, outcome: isOurs ? nil : outcome, at: now))
            isBlocked = !outcome.isSuccess
        }
        return attempts
    }

    // MARK: Test

    /// Posts one message of type `test`, to check whether the endpoint accepts and verifies it, and
    /// returns the outcome. A disabled endpoint that accepts the message is enabled again and
    /// continues at its cursor.
    public func test(_ operations: any OperationalState) async throws(StoreError) -> WebhookOutcome
    {
        let now = clock.now
        let message = JSONWriter.object { json in
            json.member("type", "test")
            json.member("timestamp", now)
            json.object("data") { json in
                json.member("environment", endpoint.environment.rawValue)
                json.member("endpoint", endpoint.name)
            }
        }
        let id = "tst_" + SHA256.hash(message).hexadecimal.prefix(32)
        let outcome = await WebhookOutcome(
            of: endpoint.request(id: id, body: message, at: now), over: transport)
        if outcome.isSuccess { try await operations.enableWebhook(endpoint.name) }
        return outcome
    }

    // MARK: Redelivery

    /// The result of a redelivery.
    public struct Redelivered: Sendable, Equatable {
        /// Changes that the endpoint's filter admits.
        public var changes = 0
        public var delivered = 0
        /// Not accepted, or not attempted because an earlier change of its chain was not, because
        /// the endpoint is down, or because the chain was erased meanwhile.
        public var failed = 0
        public var lastFailure: String?
        public var types: [String: Int] = [:]

        /// The members of the `webhooks redeliver` object of `Contract.md`.
        public func writeMembers(
            of endpoint: String, from: Int64, to: Int64, isDryRun: Bool, to json: inout JSONWriter
        ) {
            json.member("endpoint", endpoint)
            json.member("from", from)
            json.member("to", to)
            json.member("dryRun", isDryRun)
            json.member("changes", Int64(changes))
            json.member("delivered", Int64(delivered))
            json.member("failed", Int64(failed))
            json.member("lastFailure", lastFailure)
            json.object("types") { json in
                for (type, count) in types.sorted(by: { $0.key < $1.key }) {
                    json.member(type, Int64(count))
                }
            }
        }
    }

    /// Redelivers everything at positions `from` through `to`, and the clock changes after the
    /// position before `from`: the same bodies under the same ids, so that a receiver that
    /// remembers ids skips what it has. Moves no cursor; only counts with `isDryRun`. Once the
    /// endpoint is down it posts nothing more and counts the rest as failed, so that `changes` and
    /// `types` are those of the dry run.
    ///
    /// A receiver that has everything up to a position requests from the next one, and may have
    /// missed the clock changes at its last position.
    public func redeliver(
        _ ledger: EnvironmentLedger, from: Int64, to: Int64, isDryRun: Bool
    ) async throws(StoreError) -> Redelivered {
        let reader = ChangeReader(ledger: ledger)
        var report = Redelivered()
        var cursor = ChangePlace.afterEvent(at: max(0, from - 1))
        var failures = 0
        // Chains whose later changes wait for one that was not accepted.
        var blocked: Set<ChainId> = []
        while !Task.isCancelled {
            let known: Int64
            let page: ChangePage
            do throws(StoreError) {
                // The page has nothing of chains that were erased up to there.
                known = try await ledger.facts.checkpoint().position
                page = try await reader.page(after: cursor, through: to)
            } catch {
                guard Task.isCancelled else { throw error }
                break
            }
            // Also while the log cannot be read: a receiver would keep what was erased.
            @Sendable func isErased(_ change: FeedChange) async -> Bool {
                guard let erasures = try? await ledger.log.erasedChains(after: known) else {
                    return true
                }
                return erasures[ErasedChain(change.chain)].map { $0 > change.place.position }
                    ?? false
            }
            let wanted = page.changes.filter { endpoint.filter.admits($0) }
            report.changes += wanted.count
            for change in wanted { report.types[change.change.name.rawValue, default: 0] += 1 }
            let isDown = failures >= WebhookLimits.downFailureCount
            let free = isDown ? [] : wanted.filter { !blocked.contains($0.chain) }
            if !isDryRun { report.failed += wanted.count - free.count }
            if !isDryRun, !free.isEmpty {
                let attempts = await post(
                    WebhookSender.chains(free), concurrency: WebhookLimits.concurrency,
                    unless: isErased
                ) { finished in
                    if finished.contains(where: \.isDone) {
                        failures = 0
                    } else if finished.contains(where: \.isFailure) {
                        failures += 1
                    }
                    return failures < WebhookLimits.downFailureCount
                }
                let done = attempts.filter(\.isDone)
                report.delivered += done.count
                report.failed += attempts.count - done.count
                blocked.formUnion(attempts.lazy.filter { !$0.isDone }.map(\.change.chain))
                report.lastFailure =
                    attempts.last { $0.isFailure }?.outcome?.text ?? report.lastFailure
                try await ledger.operations.forgetParked(
                    done.map(\.change.chainPlace), of: endpoint.name)
            }
            cursor = page.next
            if page.isEnd { break }
        }
        return report
    }
}
