import HTTPTypes
import Hummingbird
import NIOCore

/// Reading a request's body within its bound.
enum RequestBytes {
    /// Throws a problem: `payloadTooLarge` as soon as it is known, `unsupportedMediaType` for what
    /// says it is no JSON.
    static func json(_ request: Request, upTo limit: Int) async throws -> [UInt8] {
        try requireJSON(request)
        if let text = request.headers[.contentLength] {
            guard let stated = Int(text), stated >= 0 else {
                throw Problem(
                    .badRequest, code: "badRequest", detail: "Content-Length is no number.")
            }
            guard stated <= limit else { throw Problem.tooLarge(limit: limit) }
        }
        var bytes: [UInt8] = []
        for try await buffer in request.body {
            guard bytes.count + buffer.readableBytes <= limit else {
                throw Problem.tooLarge(limit: limit)
            }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        return bytes
    }

    /// A body without a type is taken for what it has to be.
    private static func requireJSON(_ request: Request) throws {
        guard let text = request.headers[.contentType] else { return }
        let type = text.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        guard type == "application/json" else {
            throw Problem(
                .unsupportedMediaType, code: "unsupportedMediaType",
                detail: "The body must be application/json.")
        }
    }
}
