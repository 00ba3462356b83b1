import Hummingbird
import Logging

/// Counts the requests that were refused for want of a valid token, and logs where they came from.
/// Anyone can cause as many as they like: `LogPace` bounds the lines, and the next line that is
/// written says how many were left out.
struct AuthenticationFailures: Sendable {
    let sources: SourceCheck
    let metrics: ServiceMetrics
    let logger: Logger
    let pace: LogPace

    enum Reason: String, CaseIterable {
        /// No Authorization line, several, or one that holds no bearer token.
        case noToken
        /// A token that is not configured.
        case unknownToken
    }

    static let code = "authenticationFailed"
    /// Longest address that is logged, characters: a proxy may pass on what is none.
    static let addressLength = 64

    /// Neither the token nor any other part of the request's head is logged, only the route.
    func note(_ reason: Reason, _ request: Request, _ context: WebContext) {
        metrics.authenticationFailed(reason)
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
