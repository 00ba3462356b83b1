import Hummingbird
internal import Ledger
internal import Queries
internal import Service

/// Queries about customers.
struct CustomerRoutes: Sendable {
    let host: LedgerHost
    let bodies: BodyReader

    func add(to groups: RouteGroups) {
        groups.quick.get("/v1/customers/:id/entitlements") { request, context in
            let scope = try QueryParameters.read(request) { try $0.scope() }
            return try await host.entitlements(of: try CustomerRoutes.customer(context), scope)
        }
        groups.people.get("/v1/customers/:id/timeline") { request, context in
            let (scope, order, after, limit) = try QueryParameters.read(request) {
                (
                    try $0.scope(), try $0.order(), try $0.cursor { TimelinePlace(cursor: $0) },
                    try $0.limit()
                )
            }
            return try await host.timeline(
                of: try CustomerRoutes.customer(context), scope, order, after: after, limit: limit)
        }
        groups.people.get("/v1/customers/:id/subscriptions") { request, context in
            let (scope, after, limit) = try QueryParameters.read(request) {
                (try $0.scope(), try $0.cursor { ChainId(cursor: $0) }, try $0.limit())
            }
            return try await host.subscriptions(
                of: try CustomerRoutes.customer(context), scope, after: after, limit: limit)
        }
        groups.people.post("/v1/customers:entitlements") { request, _ in
            let scope = try QueryParameters.read(request) { try $0.scope() }
            let body = try await bodies.json(request, upTo: CustomersBody.maximumByteCount) {
                try CustomersBody($0)
            }
            return try await host.entitlements(of: body.customers, scope)
        }
    }

    /// The customer in a path.
    static func customer(_ context: WebContext) throws(Problem) -> CustomerId {
        CustomerId(stated: try PathReader.text("id", context))
    }
}
