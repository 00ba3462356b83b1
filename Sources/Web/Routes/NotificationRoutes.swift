import HTTPTypes
import Hummingbird
import NIOCore
internal import Service

/// Apple's endpoints.
struct NotificationRoutes: Sendable {
    let host: LedgerHost
    let sources: SourceCheck
    let bodies: BodyReader

    /// Largest body: that of version 1, since only parsing reveals the version.
    static let maximumByteCount = LedgerHost.notificationByteCount

    func add(to groups: RouteGroups) {
        groups.open.post("/appstore/notifications") { request, context in
            try sources.requireAllowed(request, context)
            return try await bodies.json(request, upTo: NotificationRoutes.maximumByteCount) {
                _ = try await host.takeNotification($0)
                return Response(status: .ok)
            }
        }
        groups.open.post("/appstore/retention") { request, context in
            try sources.requireAllowed(request, context)
            return try await bodies.json(request, upTo: LedgerHost.retentionByteCount) {
                let answer = try await host.answerRetention($0)
                return Response(
                    status: .ok, headers: [.contentType: "application/json"],
                    body: .init(byteBuffer: ByteBuffer(bytes: answer)))
            }
        }
    }
}
