import Hummingbird
internal import Service

/// The log itself, by position.
struct EventRoutes: Sendable {
    let host: LedgerHost
    let answers: ResponseMemoryBudget

    func add(to groups: RouteGroups) {
        groups.read.get("/v1/events") { request, _ in
            let (scope, after, limit, withEvidence) = try QueryParameters.read(request) {
                (
                    try $0.place(), try $0.position("after") ?? 0, try $0.limit(),
                    try $0.flag("evidence")
                )
            }
            let share =
                withEvidence ? try answers.require(ResponseMemoryBudget.makingByteCount) : nil
            defer { withExtendedLifetime(share) {} }
            return try await host.events(
                scope, after: after, limit: limit, withEvidence: withEvidence)
        }
    }
}
