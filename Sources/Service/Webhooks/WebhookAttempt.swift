import AppStore
import Ledger
internal import Queries

/// The result of posting one change.
struct WebhookAttempt: Sendable {
    let change: FeedChange
    /// Nil: not attempted, because an earlier change of its chain failed, or for lack of time.
    let outcome: WebhookOutcome?
    let at: Timestamp

    var isDone: Bool { outcome?.isSuccess ?? false }
    var isFailure: Bool { outcome.map { !$0.isSuccess } ?? false }
}

/// Posts changes: several chains concurrently, the changes of one chain in sequence.
struct WebhookSender: Sendable {
    let endpoint: WebhookEndpoint
    let transport: any WebhookTransport
    let clock: any ServiceClock

    /// Posts `chains`, each element the changes of one chain in order. `after` is called with every
    /// finished chain and returns whether another one may start; the rest is not attempted.
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
            // A cancelled task breaks the connection itself, which says nothing about the endpoint.
            let isOurs = Task.isCancelled && !outcome.isSuccess
            attempts.append(
                WebhookAttempt(change: change, outcome: isOurs ? nil : outcome, at: now))
            isBlocked = !outcome.isSuccess
        }
        return attempts
    }
}
