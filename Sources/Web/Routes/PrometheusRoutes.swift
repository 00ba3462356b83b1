import Hummingbird
import NIOCore
internal import Service

/// Prometheus text.
struct PrometheusRoutes: Sendable {
    let host: LedgerHost
    let metrics: ServiceMetrics
    let readiness: Readiness
    let census: ConnectionLimiter

    func add(to groups: RouteGroups) {
        groups.read.get("/metrics") { _, _ in
            let text = await metrics.text(
                host, isReady: await readiness.problems(host).isEmpty,
                connectionCount: census.count)
            return Response(
                status: .ok,
                headers: [
                    .contentType: "text/plain; version=0.0.4; charset=utf-8",
                    .cacheControl: "no-store",
                ], body: .init(byteBuffer: ByteBuffer(string: text)))
        }
    }
}
