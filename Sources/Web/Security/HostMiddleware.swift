import HTTPTypes
import Hummingbird
internal import Service

/// Refuses a request that does not say, once, whom it means (RFC 9112 §3.2, RFC 9113 §8.3.1), and,
/// where no tokens are asked for, one that means somebody else or comes of somebody else's page.
///
/// Without tokens, listening on loopback is all that keeps strangers out, and it keeps no web page
/// out: a browser of this machine sends what a page tells it to, and a name that a page's owner
/// points to 127.0.0.1 makes the answers the page's own (DNS rebinding). What never asks for a token
/// is not asked here either: Apple's endpoint may stand behind a tunnel under any name.
struct HostMiddleware: RouterMiddleware {
    typealias Context = WebContext

    static let host = HTTPField.Name("Host")!
    static let origin = HTTPField.Name("Origin")!

    let tokens: AccessTokens

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        // Of HTTP/1 `HTTP1Rules` has looked at the target; nothing is left of it here.
        let hosts = request.headers[values: HostMiddleware.host]
        guard request.head.authority != nil || !hosts.isEmpty,
            !HostMiddleware.isForeign(
                request.head.path ?? "/",
                to: [request.head.authority].compactMap { $0 } + hosts)
        else {
            throw Problem(
                .badRequest, code: "badRequest",
                detail: "The request must name one Host, and its target no other.")
        }
        if tokens.isEmpty, !TokenMiddleware.isOpen(context.endpointPath, request.method) {
            try HostMiddleware.requireOwn(request)
        }
        return try await next(request, context)
    }

    /// Whether a target in absolute form names another host than Host does (RFC 9112 §3.2): two servers
    /// in a row could each go by another one.
    static func isForeign(_ target: String, to hosts: [String]) -> Bool {
        guard target.utf8.first != UInt8(ascii: "/"), let scheme = target.firstRange(of: "://")
        else { return false }
        let named = target[scheme.upperBound...].prefix { !"/?#".contains($0) }.lowercased()
        return !hosts.allSatisfy { $0.lowercased() == named }
    }

    /// Throws `hostNotAllowed` or `originNotAllowed`.
    private static func requireOwn(_ request: Request) throws(Problem) {
        // One of HTTP/1.0 may name none; no browser sends that.
        let isOwn = { (name: String) in name.isEmpty || LoopbackName.isAuthority(name) }
        let isForUs = request.head.authority.map(isOwn) ?? true
        guard isForUs,
            !request.headers.contains(host) || request.headers[values: host].allSatisfy(isOwn)
        else {
            throw Problem(
                .misdirectedRequest, code: "hostNotAllowed",
                detail: "Without server.tokens only localhost is answered to: configure tokens, or"
                    + " let what stands in front say Host: localhost.")
        }
        // What a page only asks it cannot read; what it sends would be done.
        guard request.method != .get, request.method != .head else { return }
        guard request.headers[values: origin].allSatisfy(LoopbackName.isOrigin) else {
            throw Problem(
                .forbidden, code: "originNotAllowed",
                detail: "Without server.tokens nothing is taken from web pages of other machines.")
        }
    }
}
