/// Apple's record of one attempt (App Store Server API, `sendAttemptResult`). Separate from the
/// client's type, since the simulator must not depend on the code it tests.
public enum AttemptResult: String, Sendable, Hashable, CaseIterable {
    case success = "SUCCESS"
    case timedOut = "TIMED_OUT"
    case tlsIssue = "TLS_ISSUE"
    case noResponse = "NO_RESPONSE"
    case socketIssue = "SOCKET_ISSUE"
    case prematureClose = "PREMATURE_CLOSE"
    case unsuccessfulHTTPResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    case other = "OTHER"

    /// Apple's classification of a response: 200 to 206 is a success (App Store Server
    /// Notifications, Responding).
    public init(status: Int) {
        self = (200...206).contains(status) ? .success : .unsuccessfulHTTPResponseCode
    }
}
