/// What came of an attempt to deliver a notification (App Store Server API, `sendAttemptResult`).
public enum SendAttemptResult: String, Sendable, CaseIterable {
    /// Our server took it.
    case success = "SUCCESS"
    /// Our server did not answer in time.
    case timedOut = "TIMED_OUT"
    /// The certificate, or the TLS version.
    case tlsIssue = "TLS_ISSUE"
    /// The old name of `tlsIssue`.
    case sslIssue = "SSL_ISSUE"
    /// A redirect that leads back.
    case circularRedirect = "CIRCULAR_REDIRECT"
    /// No answer.
    case noResponse = "NO_RESPONSE"
    /// The connection failed.
    case socketIssue = "SOCKET_ISSUE"
    /// The answer's charset.
    case unsupportedCharset = "UNSUPPORTED_CHARSET"
    /// The answer was no HTTP.
    case invalidResponse = "INVALID_RESPONSE"
    /// The connection was closed while Apple sent.
    case prematureClose = "PREMATURE_CLOSE"
    /// Our server answered something other than 200 to 206.
    case unsuccessfulHTTPResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    /// Something else.
    case other = "OTHER"
}
