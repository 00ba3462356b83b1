internal import AppStore
import Hummingbird
internal import Ledger
internal import Queries
internal import Service

/// Queries about customers and subscriptions.
extension WebService {
    func addPeople(to groups: RouteGroups) {
        groups.people.get("/v1/search") { request, _ in
            let (text, scope) = try QueryParameters.read(request) {
                let scope = try $0.presentScope()
                return ($0.text("q") ?? "", scope)
            }
            let answer = try await host.search(text, scope)
            return try host.answer(answer, at: answer.position, scope.environment)
        }
        addCustomers(to: groups)
        addSubscriptions(to: groups)
    }

    private func addCustomers(to groups: RouteGroups) {
        // The most frequent query captures the host alone.
        let host = host
        groups.quick.get("/v1/customers/:id/entitlements") { request, context in
            let scope = try QueryParameters.read(request) { try $0.scope() }
            let customer = try PathReader.customer(context)
            guard scope.at == nil, scope.knowledge == .everything else {
                // Any other moment than the present may fold the customer's chains.
                return try await OffEventLoop.run {
                    try await host.entitlements(of: customer, scope)
                }
            }
            return try await host.entitlements(of: customer, scope)
        }
        groups.people.get("/v1/customers/:id/timeline") { request, context in
            let (scope, order, after, limit) = try QueryParameters.read(request) {
                (
                    try $0.scope(), try $0.order(), try $0.cursor { TimelinePlace(cursor: $0) },
                    try $0.limit()
                )
            }
            return try await host.timeline(
                of: try PathReader.customer(context), scope, order, after: after, limit: limit)
        }
        groups.people.get("/v1/customers/:id/subscriptions") { request, context in
            let (scope, after, limit) = try QueryParameters.read(request) {
                (try $0.scope(), try $0.cursor { ChainId(cursor: $0) }, try $0.limit())
            }
            return try await host.subscriptions(
                of: try PathReader.customer(context), scope, after: after, limit: limit)
        }
        groups.people.post("/v1/customers:entitlements") { request, _ in
            let scope = try QueryParameters.read(request) { try $0.scope() }
            let body = try await bodies.json(request, upTo: CustomersBody.maximumByteCount) {
                try CustomersBody($0)
            }
            return try await host.entitlements(of: body.customers, scope)
        }
    }

    private func addSubscriptions(to groups: RouteGroups) {
        groups.people.get("/v1/subscriptions/:id") { request, context in
            let scope = try QueryParameters.read(request) { try $0.scope() }
            return try await host.subscription(try PathReader.text("id", context), scope)
        }
        groups.people.get("/v1/subscriptions/:id/timeline") { request, context in
            let (scope, order, after, limit) = try QueryParameters.read(request) {
                // Few chains have more; the timeline comes complete unless a limit is given.
                (
                    try $0.scope(), try $0.order(), try $0.cursor { TimelinePlace(cursor: $0) },
                    try $0.limit(usually: LedgerHost.maximumPageCount)
                )
            }
            return try await host.timeline(
                try PathReader.text("id", context), scope, order, after: after, limit: limit)
        }
        groups.people.get("/v1/subscriptions/:id/events") { request, context in
            let (scope, after, limit) = try QueryParameters.read(request) {
                (try $0.scope(), try $0.position("after") ?? 0, try $0.limit())
            }
            let id = try PathReader.text("id", context)
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            return try await host.chainEvents(id, scope, after: after, limit: limit)
        }
    }
}
