import Hummingbird
import NIOCore
import OpenAPI

/// The description of all other routes.
enum DocumentRoutes {
    /// The same for every answer.
    static let body = ByteBuffer(bytes: OpenAPIDocument.bytes)

    static func add(to groups: RouteGroups) {
        groups.shared.get("/openapi.yaml") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: OpenAPIDocument.mediaType, .cacheControl: "no-cache"],
                body: ChunkedBodyWriter.body(sharing: body))
        }
    }
}
