import Hummingbird
internal import Service

/// Where routes hang: one group for each scope, so that no route is forgotten when tokens are
/// asked for.
struct RouteGroups {
    /// Asks for no scope. Whether it asks for a token at all is `TokenMiddleware.isOpen`.
    let open: RouterGroup<WebContext>
    /// As `open`, for what Apple sends: it is counted while it is taken.
    let intake: RouterGroup<WebContext>
    /// As `open`, for one body that all share: it takes no room of the answers'.
    let shared: RouterGroup<WebContext>
    /// Questions and feeds.
    let read: RouterGroup<WebContext>
    /// Questions that are answered from a few rows: asked most, and answered on the connection's
    /// own event loop.
    let quick: RouterGroup<WebContext>
    /// Uploads, and what is decided about customers.
    let write: RouterGroup<WebContext>
    /// What an operator does.
    let admin: RouterGroup<WebContext>

    init(
        _ router: Router<WebContext>, tokens: AccessTokens, answers: AnswerRoom, cores: CoreWatch
    ) {
        func guarded(_ scope: Scope) -> RouterGroup<WebContext> {
            router.group().add(middleware: ScopeMiddleware(tokens: tokens, scope: scope))
                .add(middleware: AnswerRoomMiddleware(room: answers))
                .add(middleware: OffLoop())
        }
        open = router.group().add(middleware: AnswerRoomMiddleware(room: answers))
            .add(middleware: OffLoop())
        intake = router.group().add(middleware: IntakeMeter(cores: cores))
            .add(middleware: AnswerRoomMiddleware(room: answers))
            .add(middleware: OffLoop())
        shared = router.group().add(middleware: OffLoop())
        quick = router.group()
            .add(middleware: ScopeMiddleware(tokens: tokens, scope: .read))
            .add(middleware: AnswerRoomMiddleware(room: answers))
        read = guarded(.read)
        write = guarded(.write)
        admin = guarded(.admin)
    }
}
