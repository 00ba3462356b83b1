import HTTPTypes
import Hummingbird
import LedgerService

/// Apple's endpoint.
struct NotificationRoutes: Sendable {
    let host: LedgerHost
    let sources: SourceCheck
    let bodies: BodyReader

    /// Largest body (`design.md` §6): 256 KiB.
    static let maximumByteCount = 256 * 1024

    func add(to groups: RouteGroups) {
        groups.open.post("/appstore/notifications") { request, context in
            try sources.requireAllowed(request, context)
            return try await bodies.json(request, upTo: NotificationRoutes.maximumByteCount) {
                _ = try await host.takeNotification($0)
                return Response(status: .ok)
            }
        }
    }
}
