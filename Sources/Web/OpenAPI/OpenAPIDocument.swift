/// The description of the HTTP interface, OpenAPI 3.1: `openapi.yaml`, compiled in. A target of its
/// own, because the compiler takes long over the bytes and they seldom change.
package enum OpenAPIDocument {
    package static let bytes = PackageResources.openapi_yaml

    /// RFC 9512 §2.1.
    package static let mediaType = "application/yaml"
}
