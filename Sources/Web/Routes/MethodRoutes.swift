import HTTPTypes
import Hummingbird

/// Answers requests for an existing path by an unsupported method (RFC 9110 §15.5.6).
enum MethodRoutes {
    private static let methods: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .delete, .patch, .options, .trace]
        + [HTTPRequest.Method("QUERY")].compactMap { $0 }

    /// Call it after all routes were added.
    static func add(to router: Router<WebContext>) {
        var known: [String: Set<HTTPRequest.Method>] = [:]
        for route in router.routes {
            known[route.path.description, default: []].insert(route.method)
            if route.method == .get { known[route.path.description, default: []].insert(.head) }
        }
        let paths = Router(context: WebContext.self)
        for (path, allowed) in known {
            let list = allowed.map(\.rawValue).sorted().joined(separator: ", ")
            for method in methods where !allowed.contains(method) {
                router.on(RouterPath(path), method: method) { _, _ -> Response in
                    throw MethodRoutes.notAllowed(list)
                }
            }
            paths.on(RouterPath(path), method: OtherMethods.method) { _, _ -> Response in
                throw MethodRoutes.notAllowed(list)
            }
        }
        // Reached only by requests without a route, since it is added last.
        router.add(middleware: OtherMethods(paths: paths.buildResponder()))
    }

    private static func notAllowed(_ list: String) -> Problem {
        var problem = Problem(
            .methodNotAllowed, code: "methodNotAllowed", detail: "This path takes \(list).")
        problem.headers[.allow] = list
        return problem
    }
}

/// Answers any other method, such as PROPFIND or one that a client invents: no list of methods is
/// complete.
private struct OtherMethods: RouterMiddleware {
    /// Responds 405 to `method` on every existing path.
    let paths: RouterResponder<WebContext>

    static let method = HTTPRequest.Method.get

    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        var head = request.head
        head.method = OtherMethods.method
        let answer = try await paths.respond(
            to: Request(head: head, body: request.body), context: context)
        return answer.status == .methodNotAllowed ? answer : try await next(request, context)
    }
}
