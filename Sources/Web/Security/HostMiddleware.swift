import HTTPTypes
import Hummingbird
internal import Service

/// Refuses a request without exactly one host (RFC 9112 §3.2) and, where no tokens are configured,
/// one for another host or from a web page of another origin.
///
/// Without tokens the service listens on loopback, which does not stop web pages: a local browser
/// sends what a page's script requests, and a page whose name resolves to 127.0.0.1 can read the
/// responses (DNS rebinding). Routes that never require a token are exempt, since Apple's endpoint
/// may be reached through a tunnel under any name.
struct HostMiddleware: RouterMiddleware {
    static let host = HTTPField.Name("Host")!

    let tokens: AccessTokens

    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        guard HostMiddleware.namesOneHost(request) else {
            throw Problem.invalid(
                "The request must name one Host, equal to that of its target.", code: "badRequest")
        }
        if tokens.isEmpty, !TokenMiddleware.isOpen(context.endpointPath, request.method) {
            try HostMiddleware.requireOwn(request)
        }
        return try await next(request, context)
    }

    /// Whether a request names a host, and no other one in its target. `HTTP1Rules` compared the
    /// two already; here an absolute target has lost its host, unless it could not be parsed.
    static func namesOneHost(_ request: Request) -> Bool {
        let hosts = request.headers[values: host]
        return (request.head.authority != nil || !hosts.isEmpty)
            && !isForeign(
                request.head.path ?? "/", to: [request.head.authority].compactMap { $0 } + hosts)
    }

    /// Whether a target in absolute form names another host than Host does (RFC 9112 §3.2): a proxy
    /// and this server could otherwise use different ones.
    static func isForeign(_ target: String, to hosts: [String]) -> Bool {
        guard target.utf8.first != UInt8(ascii: "/"), let scheme = target.firstRange(of: "://")
        else { return false }
        let named = target[scheme.upperBound...].prefix { !"/?#".contains($0) }.lowercased()
        return !hosts.allSatisfy { $0.lowercased() == named }
    }

    /// Throws `hostNotAllowed` or `originNotAllowed`.
    private static func requireOwn(_ request: Request) throws(Problem) {
        // HTTP/1.0 may omit it; browsers never do.
        let isOwn = { (name: String) in name.isEmpty || LoopbackName.isAuthority(name) }
        let isForUs = request.head.authority.map(isOwn) ?? true
        guard isForUs,
            !request.headers.contains(host) || request.headers[values: host].allSatisfy(isOwn)
        else {
            throw Problem(
                .misdirectedRequest, code: "hostNotAllowed",
                detail: "Without server.tokens only localhost is served: configure tokens, or let"
                    + " the proxy send Host: localhost.")
        }
        // A foreign page cannot read a response to GET, but a request with effects would be
        // executed.
        guard request.method != .get, request.method != .head else { return }
        guard request.headers[values: .origin].allSatisfy(LoopbackName.isOrigin) else {
            throw Problem(
                .forbidden, code: "originNotAllowed",
                detail:
                    "Without server.tokens requests from web pages of other machines are refused.")
        }
    }
}

/// Whether a request's host or origin is this machine.
enum LoopbackName {
    /// `localhost`, an address of 127.0.0.0/8 or `[::1]`, with or without a port (RFC 3986 §3.2).
    static func isAuthority(_ text: some StringProtocol) -> Bool {
        let host: String
        let rest: String
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return false }
            host = String(text[text.index(after: text.startIndex)..<end])
            rest = String(text[text.index(after: end)...])
            guard host.contains(":") else { return false }
        } else {
            host = text.prefix { $0 != ":" }.lowercased()
            rest = String(text.drop { $0 != ":" })
        }
        return isPort(rest) && NetworkRange.isLoopback(host)
    }

    /// Whether it is the origin of a page on this machine (RFC 6454 §7); `null` is not.
    static func isOrigin(_ text: String) -> Bool {
        for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
            return isAuthority(text.dropFirst(scheme.count))
        }
        return false
    }

    /// Empty, or a colon and a number.
    private static func isPort(_ text: String) -> Bool {
        guard !text.isEmpty else { return true }
        let digits = text.utf8.dropFirst()
        return text.first == ":" && !digits.isEmpty
            && digits.allSatisfy { (0x30...0x39).contains($0) }
    }
}
