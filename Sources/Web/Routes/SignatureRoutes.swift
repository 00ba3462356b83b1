import Hummingbird
internal import Service

/// Signatures that apps pass to StoreKit.
struct SignatureRoutes: Sendable {
    let host: LedgerHost
    let bodies: BodyReader

    func add(to groups: RouteGroups) {
        for kind in SignatureOrder.kinds {
            groups.sign.post(RouterPath("/v1/signatures/\(kind)")) { request, _ in
                let scope = try QueryParameters.read(request) {
                    (parameters: inout QueryParameters) throws -> QueryScope in
                    var scope = try parameters.place()
                    scope.minPosition = try parameters.position("minPosition")
                    return scope
                }
                let order = try await bodies.json(
                    request, upTo: SignatureOrder.maximumByteCount
                ) { try SignatureOrder(kind: kind, body: $0) }
                return try await host.sign(order, scope)
            }
        }
    }
}
