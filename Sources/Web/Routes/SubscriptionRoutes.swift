import Hummingbird
internal import Queries
internal import Service

/// Queries about one chain.
struct SubscriptionRoutes: Sendable {
    let host: LedgerHost
    let answers: ResponseMemoryBudget

    func add(to groups: RouteGroups) {
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
