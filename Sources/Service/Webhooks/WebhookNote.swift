import AppStore
public import LedgerStore

/// A log entry of the dispatcher. Contains no payload, secret or address; endpoints are named.
public enum WebhookNote: Sendable {
    /// One attempt failed; `attempts` so far.
    case failed(endpoint: String, id: String, attempts: Int64, outcome: String)
    /// Changes were parked after three days; they can be redelivered by range.
    case parked(endpoint: String, changes: Int)
    /// The endpoint is down; single attempts probe it.
    case down(endpoint: String)
    case back(endpoint: String)
    /// It answered 410; `subledger webhooks test` enables it again.
    case disabled(endpoint: String)
    /// Its cursor is beyond the end of the log, or another event is at that position: the log was
    /// replaced, and delivery continues at its end.
    case cursorBeyondLog(endpoint: String, position: Int64)
    case storeFailed(endpoint: String, error: StoreError)

    /// Stable; to filter and alert by.
    public var code: String {
        switch self {
        case .failed: "webhookFailed"
        case .parked: "webhookParked"
        case .down: "webhookDown"
        case .back: "webhookBack"
        case .disabled: "webhookDisabled"
        case .cursorBeyondLog: "webhookCursorBeyondLog"
        case .storeFailed: "webhookStoreFailed"
        }
    }

    /// Whether an operator should look: a single failed attempt is retried automatically.
    public var isNews: Bool {
        switch self {
        case .failed, .back: false
        case .parked, .down, .disabled, .cursorBeyondLog, .storeFailed: true
        }
    }

    /// One line for a log.
    public var text: String {
        switch self {
        case .failed(let endpoint, let id, let attempts, let outcome):
            "webhook \(endpoint): \(id) not accepted (\(outcome), attempt \(attempts))"
        case .parked(let endpoint, let changes):
            "webhook \(endpoint): \(changes) changes parked after three days; redeliver them"
                + " with `subledger webhooks redeliver`"
        case .down(let endpoint): "webhook \(endpoint): down; no change is lost"
        case .back(let endpoint): "webhook \(endpoint): back"
        case .disabled(let endpoint):
            "webhook \(endpoint): answered 410 and is disabled; `subledger webhooks test`"
                + " enables it again"
        case .cursorBeyondLog(let endpoint, let position):
            "webhook \(endpoint): its cursor was at position \(position) of another log (a"
                + " restored backup?); delivery continues at the log's end"
        case .storeFailed(let endpoint, let error): "webhook \(endpoint): \(error)"
        }
    }
}
