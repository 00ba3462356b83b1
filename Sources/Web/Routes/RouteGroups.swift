import Hummingbird
import LedgerService

/// Where routes hang: one group for each scope, so that no route is forgotten when tokens are
/// asked for.
struct RouteGroups {
    /// Never asks for a token.
    let open: RouterGroup<WebContext>
    /// Questions and feeds.
    let read: RouterGroup<WebContext>
    /// Uploads, and what is decided about customers.
    let write: RouterGroup<WebContext>
    /// What an operator does.
    let admin: RouterGroup<WebContext>

    init(_ router: Router<WebContext>, tokens: AccessTokens) {
        func guarded(_ scope: Scope) -> RouterGroup<WebContext> {
            router.group().add(middleware: TokenMiddleware(tokens: tokens, scope: scope))
        }
        open = router.group()
        read = guarded(.read)
        write = guarded(.write)
        admin = guarded(.admin)
    }
}
