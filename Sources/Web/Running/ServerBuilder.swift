import HummingbirdCore
import HummingbirdTLS

/// Builds the server's channels: HTTP/1.1 with its limits, under TLS where there is a certificate.
enum ServerBuilder {
    static func make(
        limits: ConnectionLimits, limiter: ConnectionLimiter, certificates: CertificateStore?
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let channel = HTTP1Channel(
                responder: responder,
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [
                        RequestDeadlines(limits: limits, limiter: limiter)
                    ],
                    httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                        maxHeaderFieldSize: limits.headByteCount,
                        maxHeaderListSize: limits.headByteCount,
                        maxHeaderFieldCount: limits.headFieldCount)))
            guard let certificates else {
                return GuardedChannel(base: channel, limiter: limiter, handshakeSeconds: nil)
            }
            return GuardedChannel(
                base: try TLSChannel(channel, tlsConfiguration: certificates.configuration),
                limiter: limiter, handshakeSeconds: limits.handshakeSeconds)
        }
    }
}
