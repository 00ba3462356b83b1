/// The description of the HTTP interface, OpenAPI 3.1: `openapi.yaml`, compiled in. A separate
/// target, because the bytes take long to compile and seldom change.
package enum OpenAPIDocument {
    package static let bytes = PackageResources.openapi_yaml

    /// RFC 9512 §2.1.
    package static let mediaType = "application/yaml"
}
