internal import Console
import HTTPTypes
import Hummingbird
internal import Queries
internal import Service

extension HTTPField.Name {
    static let fetchDest = HTTPField.Name("Sec-Fetch-Dest")!
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    /// Loads a page again (HTML standard, "Refresh").
    static let refresh = HTTPField.Name("Refresh")!
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}

/// Guards every page: authenticates the viewer, checks the origin of forms, and restricts what a
/// page may load. Turns problems into pages.
///
/// A cookie counts here only: the routes under `/v1` take bearer tokens alone, so that no page of
/// another site can use a session there.
struct ConsoleGuard: RouterMiddleware {
    let sessions: ConsoleSessions
    let pages: ConsolePages
    let problems: ProblemMiddleware

    private var tokens: AccessTokens { pages.tokens }
    private var server: ServiceConfiguration.Server { pages.host.configuration.server }

    /// What a page may load: its own files, and nothing inline but its style sheet, by hash (W3C
    /// CSP Level 3).
    static let policy =
        "default-src 'none'; script-src 'self'; style-src \(ConsoleStyle.policySource);"
        + " img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none';"
        + " base-uri 'none'"

    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        var context = context
        var response: Response
        do {
            try requireOwnPage(request)
            context.principal =
                proxyUser(request, context)
                ?? cookie(of: request).flatMap {
                    sessions.principal(of: $0, isUse: request.headers[.fetchDest] != "empty")
                }
            if !tokens.isEmpty, context.principal == nil, !isOpen(context.endpointPath) {
                response = await signIn(request, context)
            } else {
                response = try await next(request, context)
            }
        } catch {
            response = pages.problem(try problems.problem(of: error, context), request, context)
        }
        ConsoleGuard.protect(&response)
        return response
    }

    /// Restricts what an answer below the console may load, and who may keep it.
    static func protect(_ response: inout Response) {
        response.headers[.contentSecurityPolicy] = ConsoleGuard.policy
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "same-origin"
        // Pages show customers.
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    }

    private func isOpen(_ path: String?) -> Bool {
        ["/console/sign-in", "/console/sign-out"].contains(path)
            || path?.hasPrefix(ConsoleAsset.directory) == true
    }

    // MARK: Where a request came from

    /// Throws `originNotAllowed` for an unsafe request that a page of another origin sent: by
    /// Sec-Fetch-Site (W3C Fetch Metadata), else by comparing Origin with Host.
    private func requireOwnPage(_ request: Request) throws(Problem) {
        guard request.method != .get, request.method != .head else { return }
        if let site = request.headers[.fetchSite] {
            guard site == "same-origin" else { throw ConsoleGuard.foreign }
            return
        }
        let host = request.head.authority ?? request.headers[HostMiddleware.host] ?? ""
        let origin = request.headers[.origin] ?? ""
        guard !host.isEmpty, origin == "http://\(host)" || origin == "https://\(host)" else {
            throw ConsoleGuard.foreign
        }
    }

    private static var foreign: Problem {
        Problem(
            .forbidden, code: "originNotAllowed",
            detail: "A form is accepted from a page of this service only. Open the page again.")
    }

    /// The user who signed in at the trusted proxy that sent the request. Nil where the sender is
    /// no such proxy, or names not exactly one user. A user cannot have the name of a token, since
    /// decisions would name both alike.
    private func proxyUser(_ request: Request, _ context: WebContext) -> AccessTokens.Principal? {
        guard let users = server.proxyUsers, let header = HTTPField.Name(users.header),
            let peer = context.peer?.ipAddress,
            server.trustedProxies.contains(where: { $0.contains(peer) })
        else { return nil }
        let names = request.headers[values: header]
        guard names.count == 1, let name = names.first, CommandCheck.isActor(name),
            // swift-nio replaces invalid UTF-8 by it: two names may have become equal.
            !name.unicodeScalars.contains("\u{FFFD}"), !tokens.isName(name)
        else { return nil }
        return AccessTokens.Principal(name: name, scopes: Set(users.scopes), isProxyUser: true)
    }

    // MARK: Sessions

    /// `__Host-` binds the cookie to this host and to TLS; without TLS a browser refuses that name.
    var cookieName: String { requiresTLS ? "__Host-subledger" : "subledger" }

    /// Whether the cookie requires TLS: where the service or `publicUrl` has it, and where a proxy
    /// may have it, beyond loopback or with `trustedProxies`.
    private var requiresTLS: Bool {
        server.tls != nil || server.publicUrl?.hasPrefix("https://") == true
            || !NetworkRange.isLoopback(server.host) || !server.trustedProxies.isEmpty
    }

    /// Whether the sender of a request may continue to read its response.
    func permit(_ request: Request, _ context: WebContext) -> @Sendable () -> Bool {
        if tokens.isEmpty || context.principal?.isProxyUser == true { return { true } }
        let key = cookie(of: request) ?? ""
        return { sessions.principal(of: key, isUse: false) != nil }
    }

    func cookie(of request: Request) -> String? {
        request.cookies[cookieName]?.value
    }

    /// The field that sets the session's cookie, or removes it.
    func setCookie(_ key: String?) -> String {
        let age = key == nil ? 0 : ConsoleSessions.lifetime.components.seconds
        return "\(cookieName)=\(key ?? ""); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
            + (requiresTLS ? "; Secure" : "")
    }

    /// Redirects to the sign-in form, which redirects back.
    private func signIn(_ request: Request, _ context: WebContext) async -> Response {
        var next = request.uri.string
        if request.method == .post {
            // A form's own address shows the form, with what was typed.
            if let form = try? await ConsoleForm(request), form.text("key") != nil {
                next += next.contains("?") ? "&" : "?"
                let sender = pages.sender(request, context)
                next += "\(ConsolePages.draft)=\(pages.drafts.keep(form.values, from: sender))"
            }
        }
        return Response.seeOther("\(ConsoleGuard.signInTarget)\(ViewState.escaped(next))")
    }

    private static let signInTarget = "/console/sign-in?next="

    /// Whether a response redirects to the sign-in form.
    static func isSignIn(_ response: Response) -> Bool {
        response.headers[.location]?.hasPrefix(signInTarget) == true
    }
}

extension Response {
    /// 303: the browser gets another page, and going back sends nothing again.
    static func seeOther(_ address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address, .cacheControl: "no-store"])
    }
}
