import Hummingbird
internal import Service

/// The log itself, by position.
struct EventRoutes: Sendable {
    let host: LedgerHost
    let answers: ResponseMemoryBudget

    func add(to groups: RouteGroups) {
        groups.read.get("/v1/events") { request, _ in
            var parameters = try QueryParameters(request)
            let scope = try parameters.place()
            let after = try parameters.position("after") ?? 0
            let limit = try parameters.limit()
            let withEvidence = try parameters.flag("evidence")
            try parameters.requireNothingElse()
            let share =
                withEvidence ? try answers.require(ResponseMemoryBudget.makingByteCount) : nil
            defer { withExtendedLifetime(share) {} }
            let answer = try await host.events(
                scope, after: after, limit: limit, withEvidence: withEvidence)
            return AnswerResponse.make(answer, for: request)
        }
    }
}
