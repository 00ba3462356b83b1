/// The result of an attempt to deliver a notification (App Store Server API, `sendAttemptResult`).
public enum SendAttemptResult: String, Sendable, CaseIterable {
    /// The server accepted it.
    case success = "SUCCESS"
    /// The server did not respond in time.
    case timedOut = "TIMED_OUT"
    /// An invalid certificate or TLS version.
    case tlsIssue = "TLS_ISSUE"
    /// The old name of `tlsIssue`.
    case sslIssue = "SSL_ISSUE"
    case circularRedirect = "CIRCULAR_REDIRECT"
    case noResponse = "NO_RESPONSE"
    case socketIssue = "SOCKET_ISSUE"
    /// Unsupported charset of the response.
    case unsupportedCharset = "UNSUPPORTED_CHARSET"
    /// The response was not valid HTTP.
    case invalidResponse = "INVALID_RESPONSE"
    /// The connection was closed while Apple was sending.
    case prematureClose = "PREMATURE_CLOSE"
    /// The server responded with a status outside 200 to 206.
    case unsuccessfulHTTPResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    case other = "OTHER"
}
