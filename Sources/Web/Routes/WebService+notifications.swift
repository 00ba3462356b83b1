import HTTPTypes
import Hummingbird
internal import Service

/// Apple's endpoints.
extension WebService {
    func addNotifications(to groups: RouteGroups, _ sources: SourceCheck) {
        groups.open.post("/appstore/notifications") { request, context in
            try sources.requireAllowed(request, context)
            return try await bodies.json(request, upTo: LedgerHost.notificationByteCount) {
                _ = try await host.takeNotification($0)
                return Response(status: .ok)
            }
        }
        groups.open.post("/appstore/retention") { request, context in
            try sources.requireAllowed(request, context)
            return try await bodies.json(request, upTo: LedgerHost.retentionByteCount) {
                let answer = try await host.answerRetention($0)
                return Response(answer, type: "application/json", keeping: nil)
            }
        }
    }
}
