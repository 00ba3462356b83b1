import AppStore
public import LedgerStore

/// What a dispatcher tells about its work. Never a payload, a secret or an address: endpoints go
/// by their names.
public enum WebhookNote: Sendable {
    /// One attempt failed; `attempts` so far.
    case failed(endpoint: String, id: String, attempts: Int64, outcome: String)
    /// Changes were given up after three days; they can be delivered again by range.
    case parked(endpoint: String, changes: Int)
    /// The endpoint takes nothing; one attempt at a time asks whether it is back.
    case down(endpoint: String)
    case back(endpoint: String)
    /// It answered 410; `subledger webhooks test` takes it up again.
    case disabled(endpoint: String)
    /// Its cursor lies behind the end of the log, or another event stands there now: the log is
    /// another one, and it goes on at its end.
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

    /// Whether somebody should look: a single attempt that failed is tried again by itself.
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
            "webhook \(endpoint): \(id) not taken (\(outcome), attempt \(attempts))"
        case .parked(let endpoint, let changes):
            "webhook \(endpoint): \(changes) changes parked after three days; deliver them again"
                + " with `subledger webhooks redeliver`"
        case .down(let endpoint): "webhook \(endpoint): taken to be down; nothing is lost"
        case .back(let endpoint): "webhook \(endpoint): back"
        case .disabled(let endpoint):
            "webhook \(endpoint): answered 410 and gets nothing more; `subledger webhooks test`"
                + " takes it up again"
        case .cursorBeyondLog(let endpoint, let position):
            "webhook \(endpoint): stood at position \(position) of another log than this one (a"
                + " restored backup?); it goes on at the log's end"
        case .storeFailed(let endpoint, let error): "webhook \(endpoint): \(error)"
        }
    }
}
