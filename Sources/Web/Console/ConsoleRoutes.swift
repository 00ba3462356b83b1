internal import AppStore
internal import Console
import HTTPTypes
import Hummingbird
internal import Ledger
import NIOCore
internal import Queries
internal import Service

/// The pages under `/console`.
struct ConsoleRoutes: Sendable {
    let host: LedgerHost
    let sessions: ConsoleSessions
    let pages: ConsolePages
    let access: ConsoleGuard
    let answers: ResponseMemoryBudget
    let failures: AuthenticationFailures

    static let root = "/console"
    /// The path of an environment's pages, as registered.
    static let home = "/console/:environment"

    /// Whether a registered path is a page: pages are guarded by sessions, not by bearer tokens.
    static func isPage(_ path: String?) -> Bool {
        path.map { $0 == root || $0.hasPrefix("\(root)/") } ?? false
    }

    func add(to router: Router<WebContext>) {
        let group = router.group()
            .add(middleware: access)
            .add(middleware: ResponseMemoryMiddleware(room: answers))
            .add(middleware: OffEventLoop())
        addEntrance(to: group)
        PeoplePages(host: host, pages: pages).add(to: group)
        EventPages(host: host, pages: pages, answers: answers).add(to: group)
        LivePages(host: host, pages: pages, access: access).add(to: group)
        BundlePages(host: host, pages: pages, answers: answers).add(to: group)
        ActPages(host: host, pages: pages).add(to: group)
        ErasePages(host: host, pages: pages).add(to: group)
        ReportPages(host: host, pages: pages).add(to: group)
        OperatorPages(host: host, pages: pages, answers: answers).add(to: group)
    }

    // MARK: Entrance

    private func addEntrance(to group: RouterGroup<WebContext>) {
        group.get("\(ConsoleRoutes.root)") { _, _ in
            let first = host.ledgers[0].environment
            return Response.seeOther(ViewState(environment: first).url())
        }
        group.get("\(ConsoleAsset.directory):name") { request, _ in
            guard let asset = ConsoleAsset.all.first(where: { $0.path == request.uri.path }) else {
                throw Problem(.notFound, code: "noSuchPath", detail: "There is no such file.")
            }
            return Response(
                status: .ok,
                headers: [
                    .contentType: asset.contentType,
                    // The address changes with the content.
                    .cacheControl: "public, max-age=31536000, immutable",
                ], body: .init(byteBuffer: ByteBuffer(bytes: asset.bytes)))
        }
        group.get("\(ConsoleRoutes.root)/sign-in") { request, context in
            let next = try QueryParameters.read(request, isForm: true) { $0.text("next") }
            return pages.response(signIn(next, nil, context))
        }
        group.post("\(ConsoleRoutes.root)/sign-in") { request, context in
            let form = try await ConsoleForm(request)
            let next = form.text("next")
            guard let token = form.text("token"),
                let key = sessions.start(token: Array(token.utf8))
            else {
                failures.note(
                    form.text("token") == nil ? .noToken : .unknownToken, request, context)
                return pages.response(
                    signIn(next, "This token is not configured.", context), status: .forbidden)
            }
            var response = Response.seeOther(ConsoleRoutes.own(next))
            response.headers[.setCookie] = access.setCookie(key)
            return response
        }
        group.post("\(ConsoleRoutes.root)/sign-out") { request, _ in
            if let key = access.cookie(of: request) { sessions.end(key) }
            var response = Response.seeOther("\(ConsoleRoutes.root)/sign-in")
            response.headers[.setCookie] = access.setCookie(nil)
            return response
        }
        group.get("\(ConsoleRoutes.home)/help") { request, context in
            let frame = try QueryParameters.read(request, isForm: true) {
                try pages.frame(["help"], &$0, context)
            }
            return pages.response(PlainPages.help(frame))
        }
    }

    private func signIn(_ next: String?, _ failure: String?, _ context: WebContext) -> Page {
        let frame = pages.frame(ViewState(environment: host.ledgers[0].environment), [], context)
        return PlainPages.signIn(frame, failure: failure, next: ConsoleRoutes.own(next))
    }

    /// A page of this service to continue with; the first page for anything else.
    static func own(_ next: String?) -> String {
        guard let next, next.hasPrefix("\(root)/"), !next.contains("\\"), !next.contains("//")
        else {
            return root
        }
        return next
    }
}
