import Hummingbird
internal import Service

/// Signed checkpoints of the log, and proofs in its tree; no evidence and no ids of persons.
extension WebService {
    func addLog(to groups: RouteGroups) {
        groups.read.get("/v1/log/checkpoint") { request, _ in
            let environment = try QueryParameters.read(request) { try $0.environment() }
            guard let note = try await host.checkpoint(environment) else {
                throw Problem(
                    .notFound, code: "noSuchCheckpoint",
                    detail:
                        "No checkpoint was signed yet; configure audit, or run audit checkpoint.")
            }
            return Response(note.utf8, type: "text/plain; charset=utf-8")
        }
        groups.read.get("/v1/log/checkpoints") { request, _ in
            let (environment, after, limit) = try QueryParameters.read(request) {
                (try $0.environment(), try $0.position("after"), try $0.limit())
            }
            return try await host.checkpoints(environment, after: after ?? -1, limit: limit)
        }
        groups.read.get("/v1/log/proof/:position") { request, context in
            let (environment, size) = try QueryParameters.read(request) {
                (try $0.environment(), try $0.position("size"))
            }
            let position = try PathReader.position(context)
            guard let answer = try await host.inclusion(of: position, in: size, environment) else {
                throw WebService.noSuchTree
            }
            return answer
        }
        groups.read.get("/v1/log/consistency") { request, _ in
            let (environment, from, to) = try QueryParameters.read(request) {
                (try $0.environment(), try $0.position("from"), try $0.position("to"))
            }
            guard let from, let to, from >= 1 else {
                throw Problem.invalid("from and to take the sizes of two trees, from 1.")
            }
            let answer = try await host.consistency(from: from, to: to, environment)
            guard let answer else { throw WebService.noSuchTree }
            return answer
        }
    }

    private static var noSuchTree: Problem {
        Problem(
            .notFound, code: "noSuchEvent", detail: "The log has no such events; ask for its head.")
    }
}
