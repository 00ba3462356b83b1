import Hummingbird
import Logging

/// Counts requests refused for lack of a valid token, and logs their source. Any client can cause
/// these at will: `LogRateLimiter` bounds the lines, and each written line states how many were
/// suppressed before it.
struct AuthenticationFailures: Sendable {
    let sources: SourceCheck
    let metrics: ServiceMetrics
    let logger: Logger
    let pace: LogRateLimiter

    enum Reason: String, CaseIterable {
        /// No Authorization field, several, or one without a bearer token.
        case noToken
        /// A token that is not configured.
        case unknownToken
    }

    static let code = "authenticationFailed"
    /// Longest logged address, in characters: a proxy may pass on arbitrary text.
    static let addressLength = 64

    /// Logs the route only, never the token or any other part of the request's head.
    func note(_ reason: Reason, _ request: Request, _ context: WebContext) {
        metrics.failures(reason).add()
        guard let suppressed = pace.admit(AuthenticationFailures.code) else { return }
        let address = sources.address(of: request, peer: context.peer?.ipAddress) ?? "unknown"
        var metadata: Logger.Metadata = [
            "code": "\(AuthenticationFailures.code)",
            "address": "\(address.prefix(AuthenticationFailures.addressLength))",
            "path": "\(context.endpointPath ?? "")",
            "reason": "\(reason.rawValue)",
        ]
        if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
        logger.warning("A request without a valid token was refused.", metadata: metadata)
    }
}
