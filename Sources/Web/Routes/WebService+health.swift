internal import AppStore
import Hummingbird
import NIOCore
internal import Service

/// Liveness, readiness, metrics, and the description of all other routes.
extension WebService {
    /// The same for every answer.
    static let document = ByteBuffer(bytes: OpenAPIDocument.bytes)

    /// Other parameters do not count: probes may add their own.
    private static func statedEnvironment(
        _ request: Request
    ) throws -> AppStore.Environment? {
        let parameters = request.uri.query?.split(separator: "&") ?? []
        let stated = parameters.filter { $0.hasPrefix("environment=") }.joined(separator: "&")
        return try QueryParameters(stated).readAll { try $0.statedEnvironment() }
    }

    func addHealth(to groups: RouteGroups) {
        groups.open.get("/healthz") { _, _ in WebService.state([], "ok") }
        groups.open.get("/readyz") { request, _ in
            let environment = try WebService.statedEnvironment(request)
            return WebService.state(try await readiness.problems(host, of: environment))
        }
        groups.open.get("/readyz/answers") { request, _ in
            let environment = try WebService.statedEnvironment(request)
            return WebService.state(try readiness.answerProblems(host, of: environment))
        }
        groups.read.get("/metrics") { _, _ in
            let text = await metrics.text(
                host, isReady: try await readiness.problems(host).isEmpty,
                connectionCount: limiter.count)
            return Response(text.utf8, type: "text/plain; version=0.0.4; charset=utf-8")
        }
        groups.shared.get("/openapi.yaml") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: OpenAPIDocument.mediaType, .cacheControl: "no-cache"],
                body: ChunkedBodyWriter.body(sharing: WebService.document))
        }
    }

    /// - Parameter sound: the state without problems.
    private static func state(
        _ problems: [Readiness.Problem], _ sound: String = "ready"
    ) -> Response {
        let json = JSONWriter.object { json in
            json.member("status", problems.isEmpty ? sound : "notReady")
            json.objects("problems", problems) { json, problem in
                json.member("environment", problem.environment)
                json.member("code", problem.code)
                json.memberIfPresent("position", problem.progress?.position)
                json.memberIfPresent("head", problem.progress?.head)
            }
        }
        return Response(
            json, type: "application/json",
            status: problems.isEmpty ? .ok : .serviceUnavailable)
    }
}
