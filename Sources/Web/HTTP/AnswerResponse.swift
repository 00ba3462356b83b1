import HTTPTypes
import Hummingbird
import NIOCore
internal import Queries

extension HTTPField.Name {
    /// The position that answers of this state include.
    static let subledgerPosition = HTTPField.Name("Subledger-Position")!
    /// Positions of the log beyond it.
    static let subledgerLag = HTTPField.Name("Subledger-Lag")!
}

/// Answers as responses, with their tag and position.
enum AnswerResponse {
    /// 304 when the asker holds the answer already (RFC 9110 §13.1.2: weak comparison).
    static func make(_ answer: ServedAnswer, for request: Request) -> Response {
        let isHeld = isHeld(answer, request)
        // Appended: none of them is there before.
        var headers = HTTPFields()
        headers.append(HTTPField(name: .eTag, value: answer.entityTag))
        headers.append(HTTPField(name: .subledgerPosition, value: String(answer.position)))
        headers.append(HTTPField(name: .subledgerLag, value: String(answer.lag)))
        // Whoever keeps an answer asks whether it still holds.
        headers.append(HTTPField(name: .cacheControl, value: "private, no-cache"))
        if isHeld { return Response(status: .notModified, headers: headers) }
        headers.append(HTTPField(name: .contentType, value: "application/json"))
        return Response(
            status: .ok, headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: answer.bytes)))
    }

    private static func isHeld(_ answer: ServedAnswer, _ request: Request) -> Bool {
        guard request.headers.contains(.ifNoneMatch),
            request.method == .get || request.method == .head
        else { return false }
        let wanted = answer.entityTag.dropFirst(2)
        return request.headers[values: .ifNoneMatch].contains { line in
            line.split(separator: ",").contains { tag in
                let tag = tag.trimmingPrefix { $0 == " " }
                let bare = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
                return tag == "*" || bare.prefix { $0 != " " } == wanted
            }
        }
    }
}
