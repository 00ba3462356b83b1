/// Why the service cannot start.
public struct WebServiceError: Error, Sendable, CustomStringConvertible {
    /// Stable; scripts depend on them.
    public enum Code: String, Sendable {
        /// Listening on the address and port failed.
        case portUnavailable
        /// The TLS files cannot be used.
        case certificateUnusable
    }

    public let code: Code
    /// What happened, and what to do.
    public let description: String
}
