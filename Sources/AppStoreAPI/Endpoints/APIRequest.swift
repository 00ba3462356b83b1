import AppStore
import Foundation

/// One request, without host and token.
struct APIRequest: Sendable, Equatable {
    let endpoint: Endpoint
    /// Percent-encoded, starting at the host's root.
    let path: String
    /// In order; a name may occur several times.
    var query: [QueryItem]
    /// If the endpoint has one.
    var body: [UInt8]?
    var contentType = "application/json"

    struct QueryItem: Sendable, Equatable {
        let name: String
        let value: String
    }

    /// Throws `invalidRequest` for ids that cannot be in the path.
    init(
        _ endpoint: Endpoint, _ ids: [String] = [], query: [QueryItem] = [], body: [UInt8]? = nil
    ) throws(APIFailure) {
        self.endpoint = endpoint
        path = try endpoint.path(ids)
        self.query = query
        self.body = body
    }

    /// Encoded path and query.
    var target: String {
        guard !query.isEmpty else { return path }
        let items = query.map {
            "\(APIRequest.encoded($0.name))=\(APIRequest.encoded($0.value))"
        }
        return "\(path)?\(items.joined(separator: "&"))"
    }

    /// A body with one member.
    static func body(_ name: String, _ value: String) -> [UInt8] {
        JSONValue.object([JSONMember(key: name, value: .string(value))]).encoded()
    }

    /// Escapes all but unreserved characters (RFC 3986 §2.3), so that an id is always one path
    /// segment.
    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static var unreserved: CharacterSet {
        CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    }

    /// An id as a path segment; a `uuid`, which the caller made, in lower case. Throws
    /// `invalidRequest` for ids that Apple cannot have made, which would change the path.
    static func segment(
        _ id: String, _ name: String, _ endpoint: Endpoint
    ) throws(APIFailure) -> String {
        if name == "uuid" {
            try requireUUID(id, endpoint)
            return id.lowercased()
        }
        let isUsable =
            (1...APILimits.idByteCount).contains(id.utf8.count)
            && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && id != "." && id != ".."
        try endpoint.require(
            isUsable, "The \(name) is empty, too long or contains invalid characters.")
        return encoded(id)
    }

    static func requireUUID(_ id: String, _ endpoint: Endpoint) throws(APIFailure) {
        try endpoint.require(UUID(uuidString: id) != nil, "The identifier is not a UUID.")
    }
}
