/// Why the service cannot be started.
public struct WebServiceError: Error, Sendable, CustomStringConvertible {
    /// Stable names; scripts rely on them.
    public enum Code: String, Sendable {
        /// The address or port cannot be listened on.
        case portUnavailable
        /// The TLS files cannot be used.
        case certificateUnusable
    }

    public let code: Code
    /// What happened, and what to do.
    public let description: String
}
