import Hummingbird
internal import Service

/// One group of routes per set of scopes, so that every route has one.
struct RouteGroups {
    /// Requires no scope. `TokenMiddleware.isOpen` decides whether it requires a token.
    let open: RouterGroup<WebContext>
    /// As `open`, for a body shared by all responses, which is not charged to the budget.
    let shared: RouterGroup<WebContext>
    /// Feeds, and queries about intake and operation.
    let read: RouterGroup<WebContext>
    /// Queries about customers, subscriptions and events.
    let people: RouterGroup<WebContext>
    let reports: RouterGroup<WebContext>
    /// Reports that list subscriptions: without `read`, a token needs both `reports` and `support`.
    let chains: RouterGroup<WebContext>
    /// As `reports`, for results that were made before, and have the age of that time.
    let jobs: RouterGroup<WebContext>
    /// Tools of assistants, whose answers state the age of the environment that the call names.
    let tools: RouterGroup<WebContext>
    /// Queries about people answered from a few rows; the most frequent, handled on the
    /// connection's event loop.
    let quick: RouterGroup<WebContext>
    /// Uploads and commands about customers.
    let write: RouterGroup<WebContext>
    /// Signatures that apps pass to StoreKit.
    let sign: RouterGroup<WebContext>
    /// Operators' acts on the ledger itself.
    let admin: RouterGroup<WebContext>

    init(
        _ router: Router<WebContext>, tokens: AccessTokens, answers: ResponseMemoryBudget,
        host: LedgerHost
    ) {
        let age = AgeMiddleware(host: host)
        func guarded(_ scopes: Scope..., named: String? = nil) -> RouterGroup<WebContext> {
            router.group()
                .add(middleware: ScopeMiddleware(tokens: tokens, scopes: scopes, named: named))
                .add(middleware: ResponseMemoryMiddleware(room: answers))
                .add(middleware: OffEventLoop())
        }
        open = router.group().add(middleware: ResponseMemoryMiddleware(room: answers))
            .add(middleware: OffEventLoop())
        shared = router.group().add(middleware: OffEventLoop())
        quick = router.group()
            .add(middleware: ScopeMiddleware(tokens: tokens, scopes: [.read, .support]))
            .add(middleware: age)
            .add(middleware: ResponseMemoryMiddleware(room: answers))
        read = guarded(.read).add(middleware: age)
        people = guarded(.read, .support).add(middleware: age)
        reports = guarded(.read, .reports).add(middleware: age)
        let either = "read, or the scopes reports and support"
        chains = guarded(.read, .reports, named: either)
            .add(
                middleware: ScopeMiddleware(
                    tokens: tokens, scopes: [.read, .support], named: either)
            )
            .add(middleware: age)
        jobs = guarded(.read, .reports)
        tools = guarded(.read)
        write = guarded(.write)
        sign = guarded(.sign).add(middleware: age)
        admin = guarded(.admin)
    }
}
