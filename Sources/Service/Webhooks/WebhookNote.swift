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
    public var code: String { entry.code }
    /// Whether an operator should look: a single failed attempt is retried automatically.
    public var isNews: Bool { entry.isNews }
    /// One line for a log.
    public var text: String { "webhook \(entry.text)" }

    private var entry: (code: String, isNews: Bool, text: String) {
        switch self {
        case .failed(let endpoint, let id, let attempts, let outcome):
            let text = "\(endpoint): \(id) not accepted (\(outcome), attempt \(attempts))"
            return ("webhookFailed", false, text)
        case .parked(let endpoint, let changes):
            let text =
                "\(endpoint): \(changes) changes parked after three days; redeliver them"
                + " with `subledger webhooks redeliver`"
            return ("webhookParked", true, text)
        case .down(let endpoint):
            return ("webhookDown", true, "\(endpoint): down; no change is lost")
        case .back(let endpoint): return ("webhookBack", false, "\(endpoint): back")
        case .disabled(let endpoint):
            let text =
                "\(endpoint): answered 410 and is disabled; `subledger webhooks test`"
                + " enables it again"
            return ("webhookDisabled", true, text)
        case .cursorBeyondLog(let endpoint, let position):
            let text =
                "\(endpoint): its cursor was at position \(position) of another log (a"
                + " restored backup?); delivery continues at the log's end"
            return ("webhookCursorBeyondLog", true, text)
        case .storeFailed(let endpoint, let error):
            return ("webhookStoreFailed", true, "\(endpoint): \(error)")
        }
    }
}
