import HTTPTypes
import Hummingbird
import NIOCore
public import Queries
public import Service

extension HTTPField.Name {
    /// The position that responses of this state include.
    static let subledgerPosition = HTTPField.Name("Subledger-Position")!
    /// Log positions beyond it.
    static let subledgerLag = HTTPField.Name("Subledger-Lag")!
}

/// The response of a route that returns an answer, with its entity tag and position.
extension ServedAnswer: ResponseGenerator {
    public func response(from request: Request, context: some RequestContext) -> Response {
        response(to: request)
    }

    /// 304 when the client already has this version (RFC 9110 §13.1.2: weak comparison).
    func response(to request: Request) -> Response {
        let isHeld = isHeld(by: request)
        // Appended without a lookup: none of these fields is present yet.
        var headers = HTTPFields()
        headers.append(HTTPField(name: .eTag, value: entityTag))
        headers.append(HTTPField(name: .subledgerPosition, value: String(position)))
        headers.append(HTTPField(name: .subledgerLag, value: String(lag)))
        // A cached response must be revalidated.
        headers.append(HTTPField(name: .cacheControl, value: "private, no-cache"))
        if isHeld { return Response(status: .notModified, headers: headers) }
        headers.append(HTTPField(name: .contentType, value: "application/json"))
        return Response(
            status: .ok, headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private func isHeld(by request: Request) -> Bool {
        guard request.headers.contains(.ifNoneMatch),
            request.method == .get || request.method == .head
        else { return false }
        let wanted = entityTag.dropFirst(2)
        return request.headers[values: .ifNoneMatch].contains { line in
            line.split(separator: ",").contains { tag in
                let tag = tag.trimmingPrefix { $0 == " " }
                let bare = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
                return tag == "*" || bare.prefix { $0 != " " } == wanted
            }
        }
    }
}

extension RepeatableAnswer: ResponseGenerator {
    public func response(from request: Request, context: some RequestContext) -> Response {
        var response = answer.response(to: request)
        if isRepeated { response.headers[.idempotencyReplayed] = "true" }
        return response
    }
}
