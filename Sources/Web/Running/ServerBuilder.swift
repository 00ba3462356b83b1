import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import NIOCore

/// Builds the server's channels: limits around every protocol; HTTP/2 and HTTP/1.1 under TLS.
enum ServerBuilder {
    static func make(
        limits: ConnectionLimits, limiter: ConnectionLimiter, certificates: CertificateStore?
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let channel = HTTP1Channel.Configuration(
                additionalChannelHandlers: [
                    StreamGate(limiter: limiter), RequestDeadlines(limits: limits),
                ],
                httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                    maxHeaderFieldSize: limits.headByteCount,
                    maxHeaderListSize: limits.headByteCount,
                    maxHeaderFieldCount: limits.headFieldCount))
            guard let certificates else {
                return GuardedChannel(
                    base: HTTP1Channel(responder: responder, configuration: channel),
                    limiter: limiter, secureLimits: nil)
            }
            let secure = try HTTP2UpgradeChannel(
                tlsConfiguration: certificates.configuration,
                configuration: HTTP2UpgradeChannel.Configuration(
                    idleTimeout: .seconds(limits.idleSeconds),
                    gracefulCloseTimeout: .seconds(limits.idleSeconds),
                    streamConfiguration: channel),
                responder: responder)
            return GuardedChannel(base: secure, limiter: limiter, secureLimits: limits)
        }
    }
}
