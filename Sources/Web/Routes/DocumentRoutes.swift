import Hummingbird
import NIOCore

/// The description of all other routes.
enum DocumentRoutes {
    /// Shared by all responses.
    static let body = ByteBuffer(string: OpenAPIDocument.text)

    static func add(to groups: RouteGroups) {
        groups.shared.get("/openapi.yaml") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: OpenAPIDocument.mediaType, .cacheControl: "no-cache"],
                body: AnswerPieces.body(sharing: body))
        }
    }
}
