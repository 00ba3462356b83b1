import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization

/// Reads requests' bodies, each within its bound, and all together within one: many senders of
/// large bodies cost no more memory than that.
final class BodyReader: Sendable {
    private let held = Mutex(0)

    /// Bytes of all bodies being read or worked on: 64 MiB.
    static let heldByteCount = 64 * 1024 * 1024
    /// Of these, what is left to bodies that are no larger than a notification of version 2: a few
    /// senders of large bodies do not keep Apple waiting. 16 MiB.
    static let reservedByteCount = 16 * 1024 * 1024
    /// Bytes of a body up to which it takes from the reserve: 256 KiB.
    static let smallByteCount = 256 * 1024

    /// Room made at once for a body that is said to be as long or longer, so that a usual one is not
    /// moved while it grows; more only for bytes that came. 32 KiB.
    static let firstByteCount = 32 * 1024

    /// Hands the body to `work`, which nobody else has.
    ///
    /// Throws a problem: `payloadTooLarge` as soon as it is known, `unsupportedMediaType` for what
    /// says it is no JSON, `busy` when too much is being read. Throws `BodyCutOff` when its sender
    /// leaves before the end.
    func json<Value>(
        _ request: Request, upTo limit: Int, _ work: (consuming [UInt8]) async throws -> Value
    ) async throws -> Value {
        let statedCount = try BodyReader.length(of: request, upTo: limit)
        var taken = 0
        defer { held.withLock { $0 -= taken } }
        let first = min(statedCount, BodyReader.firstByteCount)
        return try await work(try await read(request.body, upTo: limit, first: first, &taken))
    }

    /// - Parameters:
    ///   - first: bytes to make room for at once.
    ///   - taken: grows by the bytes that are held.
    private func read(
        _ body: RequestBody, upTo limit: Int, first: Int, _ taken: inout Int
    ) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(first)
        do {
            for try await buffer in body {
                guard bytes.count + buffer.readableBytes <= limit else {
                    throw Problem.tooLarge(limit: limit)
                }
                let isSmall = bytes.count + buffer.readableBytes <= BodyReader.smallByteCount
                guard take(buffer.readableBytes, isSmall: isSmall) else { throw BodyReader.busy }
                taken += buffer.readableBytes
                bytes.append(contentsOf: buffer.readableBytesView)
            }
        } catch let error as any HTTPResponseError {
            throw error
        } catch let error as HTTPParserError {
            // What is no HTTP any more is answered where the connection is closed.
            throw error
        } catch {
            // Each protocol names it differently; nothing else can fail here.
            throw BodyCutOff(cause: error)
        }
        return bytes
    }

    /// Whether there is room for so many more bytes; holds them if so.
    func take(_ count: Int, isSmall: Bool) -> Bool {
        let room = BodyReader.heldByteCount - (isSmall ? 0 : BodyReader.reservedByteCount)
        return held.withLock { held in
            guard held + count <= room else { return false }
            held += count
            return true
        }
    }

    private static var busy: Problem {
        Problem(
            .serviceUnavailable, code: "busy", detail: "Too much is being sent; send it again.",
            retryAfter: Problem.failureRetrySeconds)
    }

    /// What a request says of its body, looked through once; 0 where it states no length.
    private static func length(of request: Request, upTo limit: Int) throws -> Int {
        var length = 0
        for field in request.headers {
            switch field.name {
            case .contentType: try requireJSON(field.value)
            case .contentEncoding: try requirePlain(field.value)
            case .contentLength:
                guard let stated = Int(field.value), stated >= 0 else {
                    throw Problem(
                        .badRequest, code: "badRequest", detail: "Content-Length is no number.")
                }
                guard stated <= limit else { throw Problem.tooLarge(limit: limit) }
                length = stated
            default: break
            }
        }
        return length
    }

    /// A body is read as it comes (RFC 9110 §8.4): one that is packed would pass for garbage.
    private static func requirePlain(_ encoding: String) throws {
        let name = encoding.lowercased().filter { !$0.isWhitespace }
        guard name.isEmpty || name == "identity" else {
            throw Problem(
                .unsupportedMediaType, code: "unsupportedMediaType",
                detail: "The body must come as it is, without Content-Encoding.")
        }
    }

    /// A body without a type is taken for what it has to be.
    private static func requireJSON(_ text: String) throws {
        guard text != "application/json" else { return }
        let type = text.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        // An empty field names no type either.
        guard type == "application/json" || type.isEmpty && !text.contains(";") else {
            throw Problem(
                .unsupportedMediaType, code: "unsupportedMediaType",
                detail: "The body must be application/json.")
        }
    }
}
