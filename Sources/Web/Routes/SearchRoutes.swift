import Hummingbird
internal import Service

/// Finding what an id names.
struct SearchRoutes: Sendable {
    let host: LedgerHost

    func add(to groups: RouteGroups) {
        groups.people.get("/v1/search") { request, _ in
            let (text, scope) = try QueryParameters.read(request) {
                var scope = try $0.place()
                scope.minPosition = try $0.position("minPosition")
                return ($0.text("q") ?? "", scope)
            }
            let answer = try await host.search(text, scope)
            return try host.answer(at: answer.position, scope.environment) {
                answer.write(to: &$0, isStamped: $1)
            }
        }
    }
}
