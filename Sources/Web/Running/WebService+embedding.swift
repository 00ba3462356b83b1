import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Intake
internal import Service
import ServiceLifecycle

/// The ledger inside another Hummingbird application, which has its own address, routes and
/// services.
extension WebService {
    /// Responds to the ledger's paths, and leaves all others to `other`. The ledger has every path
    /// that begins with `/appstore`, `/console`, `/healthz`, `/mcp`, `/metrics`, `/openapi.yaml`,
    /// `/readyz` or `/v1`.
    ///
    /// Throws `missingKey` without `server.tokens`: the application decides where it listens, and
    /// every client that reaches it could read the ledger.
    public func responder<Other: HTTPResponder>(
        beside other: Other
    ) throws(ConfigurationError) -> LedgerResponder<Other>
    where Other.Context: InitializableFromSource<ApplicationRequestContextSource> {
        guard !server.tokens.isEmpty else {
            throw ConfigurationError(
                .missingKey, key: "server.tokens",
                reason: "Inside another application the ledger is served only with tokens.")
        }
        let routes = router()
        let segments = routes.routes.compactMap {
            LedgerResponder<Other>.segment($0.path.description)
        }
        return LedgerResponder(
            ledger: routes.buildResponder(), segments: Set(segments), other: other)
    }

    /// HTTP/1.1 connections with the service's limits, and with TLS where `server.tls` is
    /// configured.
    public var connections: HTTPServerBuilder {
        HTTPServerBuilder { [limits, limiter, certificates] responder in
            let channel = HTTP1Channel(
                responder: responder,
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [
                        RequestDeadlines(
                            limits: limits, limiter: limiter, hasTLS: certificates != nil)
                    ],
                    httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                        maxHeaderFieldSize: limits.headByteCount,
                        maxHeaderListSize: limits.headByteCount,
                        maxHeaderFieldCount: limits.headFieldCount)))
            guard let certificates else {
                return GuardedChannel(base: channel, limiter: limiter)
            }
            return GuardedChannel(
                base: try TLSChannel(channel, tlsConfiguration: certificates.configuration),
                limiter: limiter)
        }
    }

    /// Keeps the ledger projected and its feeds running until the shutdown; then closes its files.
    /// An application stops its services after its server, so that the last response is sent first,
    /// and the last service first: one that queries the ledger comes after this one in `services`,
    /// since a query of closed files fails (`closed`).
    public var background: any Service { EmbeddedLedger(service: self) }
}

/// What `WebService.run` runs besides the application.
private struct EmbeddedLedger: Service {
    let service: WebService

    func run() async throws {
        // Not cancelled with the group: where the application's port is in use, a cancelled read
        // of sound files must not start a rebuild.
        let projecting = Task { [host = service.host] in await host.run() }
        try await UntilShutdown { [service] in
            await WebService.run(service.feeds, service.host.observer)
        }.run()
        service.readiness.stop()
        service.host.stop()
        await projecting.value
    }
}
