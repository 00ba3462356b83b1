internal import AppStore
internal import Console
import HTTPTypes
import Hummingbird
internal import Ledger
internal import Queries
internal import Service

/// The pages under `/console`.
struct ConsoleRoutes: Sendable {
    let access: ConsoleGuard
    let failures: AuthenticationFailures

    static let root = "/console"
    /// The path of an environment's pages, as registered.
    static let home = "/console/:environment"

    /// Whether a registered path is a page: pages are guarded by sessions, not by bearer tokens.
    static func isPage(_ path: String?) -> Bool {
        path.map { $0 == root || $0.hasPrefix("\(root)/") } ?? false
    }

    private var pages: ConsolePages { access.pages }

    func add(to router: Router<WebContext>) {
        let group = router.group()
            .add(middleware: access)
            .add(middleware: ResponseMemoryMiddleware(room: pages.answers))
            .add(middleware: OffEventLoop())
        addEntrance(to: group)
        LivePages(pages: pages, access: access).add(to: group)
        pages.addPeople(to: group)
        pages.addEvents(to: group)
        pages.addBundles(to: group)
        pages.addActs(to: group)
        pages.addErasures(to: group)
        pages.addReports(to: group)
        pages.addOperation(to: group)
    }

    // MARK: Entrance

    private func addEntrance(to group: RouterGroup<WebContext>) {
        group.get("\(ConsoleRoutes.root)") { _, _ in
            Response.seeOther(ViewState(environment: pages.host.ledgers[0].environment).url())
        }
        group.get("\(ConsoleAsset.directory):name") { request, _ in
            guard let asset = ConsoleAsset.all.first(where: { $0.path == request.uri.path }) else {
                throw Problem(.notFound, code: "noSuchPath", detail: "There is no such file.")
            }
            // The address changes with the content.
            return Response(
                asset.bytes, type: asset.contentType,
                keeping: "public, max-age=31536000, immutable")
        }
        group.get("\(ConsoleRoutes.root)/sign-in") { request, context in
            let next = try QueryParameters.read(request, isForm: true) { $0.text("next") }
            var response = pages.response(signIn(next, nil, context))
            // Browsers send no cookie to a page that another site links (SameSite=Strict), but do
            // when this form leads there. Without a session the request comes back here, then as
            // one of the same site, and the form stays.
            if next != nil, request.headers[.fetchSite] == "cross-site" {
                response.headers[.refresh] = "0; url=\(ConsoleRoutes.own(next))"
            }
            return response
        }
        group.post("\(ConsoleRoutes.root)/sign-in") { request, context in
            let form = try await ConsoleForm(request)
            let next = form.text("next")
            guard let token = form.text("token"),
                let key = access.sessions.start(token: Array(token.utf8))
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
            if let key = access.cookie(of: request) { access.sessions.end(key) }
            var response = Response.seeOther("\(ConsoleRoutes.root)/sign-in")
            response.headers[.setCookie] = access.setCookie(nil)
            return response
        }
        group.get("\(ConsoleRoutes.home)/help") { request, context in
            pages.response(PlainPages.help(try pages.frame(["help"], request, context)))
        }
    }

    private func signIn(_ next: String?, _ failure: String?, _ context: WebContext) -> Page {
        let first = ViewState(environment: pages.host.ledgers[0].environment)
        let frame = pages.frame(first, [], context)
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
