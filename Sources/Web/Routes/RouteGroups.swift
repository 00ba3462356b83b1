import Hummingbird
internal import Service

/// One group of routes per scope, so that every route has a scope.
struct RouteGroups {
    /// Requires no scope. `TokenMiddleware.isOpen` decides whether it requires a token.
    let open: RouterGroup<WebContext>
    /// As `open`, for a body shared by all responses, which is not charged to the budget.
    let shared: RouterGroup<WebContext>
    /// Queries and feeds.
    let read: RouterGroup<WebContext>
    /// Queries answered from a few rows; the most frequent, handled on the connection's event loop.
    let quick: RouterGroup<WebContext>
    /// Uploads and commands about customers.
    let write: RouterGroup<WebContext>

    init(
        _ router: Router<WebContext>, tokens: AccessTokens, answers: ResponseMemoryBudget,
        host: LedgerHost
    ) {
        let age = AgeMiddleware(host: host)
        func guarded(_ scope: Scope) -> RouterGroup<WebContext> {
            router.group().add(middleware: ScopeMiddleware(tokens: tokens, scope: scope))
                .add(middleware: ResponseMemoryMiddleware(room: answers))
                .add(middleware: OffEventLoop())
        }
        open = router.group().add(middleware: ResponseMemoryMiddleware(room: answers))
            .add(middleware: OffEventLoop())
        shared = router.group().add(middleware: OffEventLoop())
        quick = router.group()
            .add(middleware: ScopeMiddleware(tokens: tokens, scope: .read))
            .add(middleware: age)
            .add(middleware: ResponseMemoryMiddleware(room: answers))
        read = guarded(.read).add(middleware: age)
        write = guarded(.write)
    }
}
