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
            var parameters = try QueryParameters(request)
            let scope = try parameters.scope()
            try parameters.requireNothingElse()
            let answer = try await host.entitlements(
                of: try CustomerRoutes.customer(context), scope)
            return AnswerResponse.make(answer, for: request)
        }
        groups.read.get("/v1/customers/:id/timeline") { request, context in
            var parameters = try QueryParameters(request)
            let scope = try parameters.scope()
            let after = try parameters.cursor { TimelinePlace(cursor: $0) }
            let limit = try parameters.limit()
            try parameters.requireNothingElse()
            let answer = try await host.timeline(
                of: try CustomerRoutes.customer(context), scope, after: after, limit: limit)
            return AnswerResponse.make(answer, for: request)
        }
        groups.read.get("/v1/customers/:id/subscriptions") { request, context in
            var parameters = try QueryParameters(request)
            let scope = try parameters.scope()
            let after = try parameters.cursor { ChainId(cursor: $0) }
            let limit = try parameters.limit()
            try parameters.requireNothingElse()
            let answer = try await host.subscriptions(
                of: try CustomerRoutes.customer(context), scope, after: after, limit: limit)
            return AnswerResponse.make(answer, for: request)
        }
        groups.read.post("/v1/customers:entitlements") { request, _ in
            var parameters = try QueryParameters(request)
            let scope = try parameters.scope()
            try parameters.requireNothingElse()
            let body = try await bodies.json(request, upTo: CustomersBody.maximumByteCount) {
                try CustomersBody($0)
            }
            let answer = try await host.entitlements(of: body.customers, scope)
            return AnswerResponse.make(answer, for: request)
        }
    }

    /// The customer in a path.
    static func customer(_ context: WebContext) throws(Problem) -> CustomerId {
        CustomerId(stated: try PathReader.text("id", context))
    }
}
