import Foundation
import NIOCore
internal import Service

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

extension WebServiceError {
    /// The error for an address and port that cannot be listened on.
    init(of server: ServiceConfiguration.Server, cannotListen error: any Error) {
        let cause =
            switch error {
            case let failure as IOError: ": \(String(cString: strerror(failure.errnoCode)))"
            case is SocketAddressError.UnknownHost: ": the name has no address"
            default: ""
            }
        self.init(
            code: .portUnavailable,
            description: "Cannot listen on \(server.host):\(server.port)\(cause). Check"
                + " server.host, choose another port with --port, or stop the process that listens"
                + " there.")
    }
}
