internal import LedgerStore

/// Deliveries to webhooks. Contains no payload, secret or address; endpoints are named.
extension ServingNote {
    /// One attempt failed, which is retried; `attempts` so far.
    static func notAccepted(
        by endpoint: String, id: String, attempts: Int64, outcome: String
    ) -> ServingNote {
        webhook(
            .notice, "webhookFailed",
            "\(endpoint): \(id) not accepted (\(outcome), attempt \(attempts))")
    }

    static func parked(_ changes: Int, for endpoint: String) -> ServingNote {
        webhook(
            .warning, "webhookParked",
            "\(endpoint): \(changes) changes parked after three days; redeliver them"
                + " with `subledger webhooks redeliver`")
    }

    /// Single attempts probe it.
    static func down(_ endpoint: String) -> ServingNote {
        webhook(.warning, "webhookDown", "\(endpoint): down; no change is lost")
    }

    static func back(_ endpoint: String) -> ServingNote {
        webhook(.notice, "webhookBack", "\(endpoint): back")
    }

    static func disabled(_ endpoint: String) -> ServingNote {
        webhook(
            .warning, "webhookDisabled",
            "\(endpoint): answered 410 and is disabled; `subledger webhooks test`"
                + " enables it again")
    }

    /// The cursor is beyond the end of the log, or another event is at that position.
    static func cursorBeyondLog(of endpoint: String, position: Int64) -> ServingNote {
        webhook(
            .warning, "webhookCursorBeyondLog",
            "\(endpoint): its cursor was at position \(position) of another log (a"
                + " restored backup?); delivery continues at the log's end")
    }

    static func storeFailed(for endpoint: String, _ error: StoreError) -> ServingNote {
        webhook(.warning, "webhookStoreFailed", "\(endpoint): \(error)")
    }

    private static func webhook(_ level: Level, _ code: String, _ text: String) -> ServingNote {
        ServingNote(level, code, "webhook \(text)")
    }
}
