/// What Apple notes of one attempt (App Store Server API, `sendAttemptResult`). A type of this room:
/// the simulator must not depend on what it checks.
public enum AttemptResult: String, Sendable, Hashable, CaseIterable {
    case success = "SUCCESS"
    case timedOut = "TIMED_OUT"
    case tlsIssue = "TLS_ISSUE"
    case noResponse = "NO_RESPONSE"
    case socketIssue = "SOCKET_ISSUE"
    case prematureClose = "PREMATURE_CLOSE"
    case unsuccessfulHTTPResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    case other = "OTHER"

    /// What Apple makes of a receiver's answer: 200 to 206 is taken (`appstore.md` §5).
    public init(status: Int) {
        self = (200...206).contains(status) ? .success : .unsuccessfulHTTPResponseCode
    }
}
