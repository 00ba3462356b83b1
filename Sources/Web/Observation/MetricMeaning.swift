internal import AppStore

/// The help text of each metric, as Prometheus shows it (`# HELP`). A test keeps it in step with
/// the table of <doc:Service> and with the exported metrics.
enum MetricMeaning {
    /// By name; one line each, without backslashes, so that nothing needs escaping.
    static let texts = [
        "subledger_append_failing": "1 while the log cannot be written, else 0.",
        "subledger_append_queue_bytes": "Bytes of events waiting for their commit.",
        "subledger_append_queue_events": "Events waiting for their commit.",
        "subledger_append_seconds": "Time to append one delivery durably, including waiting.",
        "subledger_apps_never_swept":
            "Apps with an API key that are not known to be complete to any time.",
        "subledger_authentication_failures_total":
            "Requests refused for lack of a valid token.",
        "subledger_clock_ahead_seconds":
            "Seconds the clock jumped ahead and real time has not caught up with, else 0.",
        "subledger_complete_through_seconds":
            "Unix time up to which all from Apple is stored, for the swept app farthest behind.",
        "subledger_disk_free_bytes": "Free bytes on the log's file system.",
        "subledger_http_request_seconds":
            "Time from a request's head to the beginning of its response.",
        "subledger_http_requests_total": "Requests by method, route and status.",
        "subledger_intake_total":
            "Deliveries by result: appended, duplicate, conflict, or the refusal's code.",
        "subledger_lag_positions": "Log positions that answers do not include yet.",
        "subledger_lag_seconds": "Seconds answers have been behind the log.",
        "subledger_last_event_timestamp_seconds":
            "Unix time of the last event of an app.",
        "subledger_lateness_seconds": "Time from Apple's signature to the arrival here.",
        "subledger_log_bytes": "Size of the log file in bytes.",
        "subledger_log_position": "Last position of the log.",
        "subledger_open_connections": "Open connections.",
        "subledger_project_seconds": "Time of one round of the projector.",
        "subledger_projected_events_total": "Events projected since the start.",
        "subledger_projected_position": "Log position that answers include.",
        "subledger_projection_failing": "1 while projecting fails, else 0.",
        "subledger_quarantine_items": "Deliveries in quarantine.",
        "subledger_quarantined_total": "Deliveries put into quarantine since the start.",
        "subledger_ready": "1 while events can be accepted, else 0.",
        "subledger_reconciled_chains_total": "Chains reconciled with Apple, by result.",
        "subledger_retention_answers_total":
            "Requests for retention messages answered, by result.",
        "subledger_retention_unrecorded_total":
            "Answers to requests for retention messages that were not recorded.",
        "subledger_revocation_checks_total":
            "Certificate chains checked with OCSP responders, by result.",
        "subledger_upload_facts_total":
            "Facts folded for responses to uploads.",
        "subledger_verify_seconds": "Time to verify the signatures of one delivery.",
        "subledger_wal_bytes": "Size of the log's write-ahead log in bytes.",
    ]
}
