internal import AppStore
import Hummingbird
import NIOCore
internal import Service

/// Liveness and readiness.
struct HealthRoutes: Sendable {
    let host: LedgerHost
    let readiness: Readiness

    func add(to groups: RouteGroups) {
        groups.open.get("/healthz") { _, _ in HealthRoutes.response(.ok, "ok", []) }
        groups.open.get("/readyz") { _, _ in
            HealthRoutes.response(await readiness.problems(host))
        }
        groups.open.get("/readyz/answers") { _, _ in
            HealthRoutes.response(readiness.answerProblems(host))
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
