import AppStore
import Ledger
internal import Queries

/// What became of one change that was to be posted.
struct WebhookAttempt: Sendable {
    let change: FeedChange
    /// Nil: not tried, because one before it in its chain was not taken, or there was no time.
    let outcome: WebhookOutcome?
    let at: Timestamp

    var isDone: Bool { outcome?.isSuccess ?? false }
    var isFailure: Bool { outcome.map { !$0.isSuccess } ?? false }
}

/// Posts changes: several chains at once, the changes of one chain one after the other.
struct WebhookSender: Sendable {
    let endpoint: WebhookEndpoint
    let transport: any WebhookTransport
    let clock: any ServiceClock

    /// Posts what `chains` holds, each element the changes of one chain in order. `after` is told
    /// every finished chain and says whether another one may begin; what was not begun is not
    /// tried.
    func post(
        _ chains: [[FeedChange]], concurrency: Int, after: ([WebhookAttempt]) -> Bool
    ) async -> [WebhookAttempt] {
        var attempts: [WebhookAttempt] = []
        await withTaskGroup(of: [WebhookAttempt].self) { group in
            var next = 0
            var mayBegin = true
            func begin() {
                guard mayBegin, next < chains.count else { return }
                let changes = chains[next]
                next += 1
                group.addTask { await post(changes) }
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

    private func post(_ changes: [FeedChange]) async -> [WebhookAttempt] {
        var attempts: [WebhookAttempt] = []
        var isBlocked = false
        for change in changes {
            let now = clock.now
            guard !isBlocked, !Task.isCancelled else {
                attempts.append(WebhookAttempt(change: change, outcome: nil, at: now))
                continue
            }
            let outcome = await transport.post(endpoint.request(change, at: now))
            // Whoever is asked to stop breaks the connection itself: that is no word of the other.
            let isOurs = Task.isCancelled && !outcome.isSuccess
            attempts.append(
                WebhookAttempt(change: change, outcome: isOurs ? nil : outcome, at: now))
            isBlocked = !outcome.isSuccess
        }
        return attempts
    }
}
