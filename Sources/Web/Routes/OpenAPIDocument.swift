internal import COpenAPI

/// The description of the HTTP interface, OpenAPI 3.1: `OpenAPI/openapi.yaml`, compiled in.
package enum OpenAPIDocument {
    package static let bytes: [UInt8] = {
        var count = 0
        let start = openapi_document(&count)
        return Array(UnsafeBufferPointer(start: start, count: count))
    }()

    /// RFC 9512 §2.1.
    package static let mediaType = "application/yaml"
}
