import Hummingbird
internal import Queries
internal import Service

/// The erasure of a person's data.
struct ErasureRoutes: Sendable {
    let host: LedgerHost
    let bodies: BodyReader

    func add(to groups: RouteGroups) {
        groups.admin.post("/v1/erasures") { request, context in
            let scope = try QueryParameters.read(request) { try $0.place() }
            let key = try CommandHeaders.key(request)
            let body = try await bodies.json(request, upTo: ErasureBody.maximumByteCount) {
                try ErasureBody($0)
            }
            let order = CommandIntake.Order(
                actor: body.actor, tokenName: context.principal?.name, reason: body.reason,
                key: key)
            return try await host.eraseAnswer(body, order, scope)
        }
    }
}
