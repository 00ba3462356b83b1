import HTTPTypes
import Hummingbird
import LedgerService

/// Apple's endpoint.
struct NotificationRoutes: Sendable {
    let host: LedgerHost
    let sources: SourceCheck

    /// Largest body (`design.md` §6): 256 KiB.
    static let maximumByteCount = 256 * 1024

    func add(to groups: RouteGroups) {
        groups.open.post("/appstore/notifications") { request, context in
            try sources.requireAllowed(request, context)
            let body = try await RequestBytes.json(
                request, upTo: NotificationRoutes.maximumByteCount)
            _ = try await host.takeNotification(body)
            return Response(status: .ok)
        }
    }
}
