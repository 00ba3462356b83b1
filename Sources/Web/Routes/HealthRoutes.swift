internal import AppStore
import Hummingbird
import NIOCore
internal import Service

/// Liveness, readiness and metrics.
struct HealthRoutes: Sendable {
    let host: LedgerHost
    let readiness: Readiness
    let metrics: ServiceMetrics
    let limiter: ConnectionLimiter

    func add(to groups: RouteGroups) {
        groups.open.get("/healthz") { _, _ in HealthRoutes.response(.ok, "ok", []) }
        groups.open.get("/readyz") { _, _ in
            HealthRoutes.response(await readiness.problems(host))
        }
        groups.open.get("/readyz/answers") { _, _ in
            HealthRoutes.response(readiness.answerProblems(host))
        }
        groups.read.get("/metrics") { _, _ in
            let text = await metrics.text(
                host, isReady: await readiness.problems(host).isEmpty,
                connectionCount: limiter.count)
            return Response(
                status: .ok,
                headers: [
                    .contentType: "text/plain; version=0.0.4; charset=utf-8",
                    .cacheControl: "no-store",
                ], body: .init(byteBuffer: ByteBuffer(string: text)))
        }
    }

    private static func response(_ problems: [Readiness.Problem]) -> Response {
        problems.isEmpty
            ? response(.ok, "ready", [])
            : response(.serviceUnavailable, "notReady", problems)
    }

    private static func response(
        _ status: HTTPResponse.Status, _ state: String, _ problems: [Readiness.Problem]
    ) -> Response {
        var json = JSONWriter()
        json.object { json in
            json.member("status", state)
            json.objects("problems", problems) { json, problem in
                json.member("environment", problem.environment)
                json.member("code", problem.code)
                json.memberIfPresent("position", problem.progress?.position)
                json.memberIfPresent("head", problem.progress?.head)
            }
        }
        return Response(
            status: status,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: json.bytes)))
    }
}
