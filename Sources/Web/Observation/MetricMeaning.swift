internal import AppStore

/// What each metric says, as Prometheus shows it (`# HELP`). In step with the table of
/// <doc:Service>, and with what is exported.
enum MetricMeaning {
    static func of(_ name: String) -> String? { texts[name] }

    /// By name; of one line each, without backslashes, so that nothing needs escaping.
    static let texts = [
        "subledger_append_failing": "1 while the log cannot be written, else 0.",
        "subledger_append_queue_bytes": "Bytes of the events that wait for their commit.",
        "subledger_append_queue_events": "Events that wait for their commit.",
        "subledger_append_seconds": "Durable append of one delivery, waiting included.",
        "subledger_authentication_failures_total":
            "Requests that were refused for want of a valid token.",
        "subledger_clock_ahead_seconds":
            "By how much the clock jumped forward, while it is not gone by, else 0.",
        "subledger_complete_through_seconds":
            "Time (Unix) up to which everything Apple sent is here, of the app farthest behind.",
        "subledger_core_delay_seconds":
            "How long the cores take to begin something, mean of about a second.",
        "subledger_disk_free_bytes": "Bytes that may still be written where the log is.",
        "subledger_free_cores": "Cores with nothing to do, mean of two seconds.",
        "subledger_http_request_seconds": "From a request's head to the end of its answer.",
        "subledger_http_requests_total": "Requests by method, route and status.",
        "subledger_intake_total":
            "Deliveries by what became of them: taken in, known, or the code of the refusal.",
        "subledger_lag_positions": "Positions of the log that answers do not include yet.",
        "subledger_lag_seconds": "How long answers have been behind the log.",
        "subledger_last_event_timestamp_seconds":
            "When the last event of an app came (Unix time).",
        "subledger_lateness_seconds": "From Apple's signature to the arrival here.",
        "subledger_log_bytes": "Bytes of the log's file.",
        "subledger_log_position": "The last position of the log.",
        "subledger_open_connections": "Open connections.",
        "subledger_project_seconds": "One round of the projector.",
        "subledger_projected_events_total": "Events projected since the start.",
        "subledger_projected_position": "The position of the log that answers rest on.",
        "subledger_projection_failing": "1 while projecting fails, else 0.",
        "subledger_quarantine_items": "Deliveries in quarantine.",
        "subledger_quarantined_total": "Deliveries put into quarantine since the start.",
        "subledger_ready": "1 while events can be accepted, else 0.",
        "subledger_reconciled_chains_total": "Chains looked up at Apple's, by what came of it.",
        "subledger_upload_facts_total":
            "Facts that answers to uploads were folded from.",
        "subledger_verify_seconds": "Verifying the signatures of one delivery.",
        "subledger_wal_bytes": "Bytes of the log's write-ahead log.",
    ]
}
