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
        for (path, allowed) in known {
            let list = allowed.map(\.rawValue).sorted().joined(separator: ", ")
            for method in methods where !allowed.contains(method) {
                router.on(RouterPath(path), method: method) { _, _ -> Response in
                    var problem = Problem(
                        .methodNotAllowed, code: "methodNotAllowed",
                        detail: "This path takes \(list).")
                    problem.headers[.allow] = list
                    throw problem
                }
            }
        }
    }
}
