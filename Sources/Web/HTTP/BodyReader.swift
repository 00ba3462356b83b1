import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Reads requests' bodies, each within its bound, and all together within one: many senders of
/// large bodies cost no more memory than that.
final class BodyReader: Sendable {
    private let held = Mutex(0)

    /// Bytes of all bodies being read or worked on: 64 MiB.
    static let heldByteCount = 64 * 1024 * 1024

    /// Lends the body to `work`.
    ///
    /// Throws a problem: `payloadTooLarge` as soon as it is known, `unsupportedMediaType` for what
    /// says it is no JSON, `busy` when too much is being read.
    func json<Value>(
        _ request: Request, upTo limit: Int, _ work: ([UInt8]) async throws -> Value
    ) async throws -> Value {
        try BodyReader.requireJSON(request)
        if let text = request.headers[.contentLength] {
            guard let stated = Int(text), stated >= 0 else {
                throw Problem(
                    .badRequest, code: "badRequest", detail: "Content-Length is no number.")
            }
            guard stated <= limit else { throw Problem.tooLarge(limit: limit) }
        }
        var taken = 0
        defer { held.withLock { $0 -= taken } }
        var bytes: [UInt8] = []
        for try await buffer in request.body {
            guard bytes.count + buffer.readableBytes <= limit else {
                throw Problem.tooLarge(limit: limit)
            }
            guard take(buffer.readableBytes) else { throw BodyReader.busy }
            taken += buffer.readableBytes
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        return try await work(bytes)
    }

    private func take(_ count: Int) -> Bool {
        held.withLock { held in
            guard held + count <= BodyReader.heldByteCount else { return false }
            held += count
            return true
        }
    }

    private static var busy: Problem {
        Problem(
            .serviceUnavailable, code: "busy", detail: "Too much is being sent; send it again.",
            retryAfter: Problem.failureRetrySeconds)
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
