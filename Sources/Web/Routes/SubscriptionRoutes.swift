import Hummingbird
internal import Queries
internal import Service

/// Queries about one chain.
struct SubscriptionRoutes: Sendable {
    let host: LedgerHost
    let answers: ResponseMemoryBudget

    func add(to groups: RouteGroups) {
        groups.read.get("/v1/subscriptions/:id") { request, context in
            var parameters = try QueryParameters(request)
            let scope = try parameters.scope()
            try parameters.requireNothingElse()
            let id = try PathReader.text("id", context)
            return AnswerResponse.make(try await host.subscription(id, scope), for: request)
        }
        groups.read.get("/v1/subscriptions/:id/timeline") { request, context in
            var parameters = try QueryParameters(request)
            let scope = try parameters.scope()
            let after = try parameters.cursor { TimelinePlace(cursor: $0) }
            // Few chains have more; the timeline comes complete unless a limit is given.
            let limit = try parameters.limit(usually: LedgerHost.maximumPageCount)
            try parameters.requireNothingElse()
            let id = try PathReader.text("id", context)
            let answer = try await host.timeline(id, scope, after: after, limit: limit)
            return AnswerResponse.make(answer, for: request)
        }
        groups.read.get("/v1/subscriptions/:id/events") { request, context in
            var parameters = try QueryParameters(request)
            let scope = try parameters.scope()
            let after = try parameters.position("after") ?? 0
            let limit = try parameters.limit()
            try parameters.requireNothingElse()
            let id = try PathReader.text("id", context)
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            let answer = try await host.chainEvents(id, scope, after: after, limit: limit)
            return AnswerResponse.make(answer, for: request)
        }
    }
}
