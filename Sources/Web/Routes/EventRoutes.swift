import Hummingbird
internal import Service

/// The log itself, by position.
struct EventRoutes: Sendable {
    let host: LedgerHost
    let answers: ResponseMemoryBudget

    func add(to groups: RouteGroups) {
        groups.read.get("/v1/events") { request, _ in
            var question = try QueryParameters(request)
            let scope = try question.place()
            let after = try question.position("after") ?? 0
            let limit = try question.limit()
            let withEvidence = try question.flag("evidence")
            try question.requireNothingElse()
            let share =
                withEvidence ? try answers.require(ResponseMemoryBudget.makingByteCount) : nil
            defer { withExtendedLifetime(share) {} }
            let answer = try await host.events(
                scope, after: after, limit: limit, withEvidence: withEvidence)
            return AnswerResponse.make(answer, for: request)
        }
    }
}
