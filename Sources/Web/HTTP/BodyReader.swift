import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// Reads request bodies, each within its own bound and all of them within one memory budget.
final class BodyReader: Sendable {
    /// Bytes of all bodies being read or processed: 64 MiB.
    static let heldByteCount = 64 * 1024 * 1024
    /// Of these, bytes reserved for bodies up to the size of a version 2 notification, so that a
    /// few clients with large bodies do not delay Apple's.
    static let reservedByteCount = 16 * 1024 * 1024
    /// Bytes of a body up to which it uses the reserve: 256 KiB.
    static let smallByteCount = 256 * 1024

    /// Most bytes allocated up front for a body of announced length, so that typical bodies are not
    /// reallocated; beyond them the buffer grows with the bytes received. 32 KiB.
    static let firstByteCount = 32 * 1024

    let held = SharedBudget(
        limit: BodyReader.heldByteCount, reserve: BodyReader.reservedByteCount)

    /// Passes the body to `work`, as its only owner.
    ///
    /// Throws a problem: `payloadTooLarge` as early as possible, `unsupportedMediaType` for a
    /// content type other than JSON, `busy` when too much is being read. Throws `TruncatedBody`
    /// when the client disconnects before the end.
    func json<Value>(
        _ request: Request, upTo limit: Int, _ work: (consuming [UInt8]) async throws -> Value
    ) async throws -> Value {
        let statedCount = try BodyReader.length(of: request, upTo: limit)
        var charged = 0
        defer { held.release(charged) }
        let first = min(statedCount, BodyReader.firstByteCount)
        return try await work(try await read(request.body, upTo: limit, first: first, &charged))
    }

    /// - charged: bytes charged to the budget, one number for a body of any number of parts.
    private func read(
        _ body: RequestBody, upTo limit: Int, first: Int, _ charged: inout Int
    ) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(first)
        do {
            for try await buffer in body {
                guard bytes.count + buffer.readableBytes <= limit else {
                    throw Problem.tooLarge(limit: limit)
                }
                let isSmall = bytes.count + buffer.readableBytes <= BodyReader.smallByteCount
                guard held.charge(buffer.readableBytes, isSmall: isSmall) else {
                    throw BodyReader.busy
                }
                charged += buffer.readableBytes
                bytes.append(contentsOf: buffer.readableBytesView)
            }
        } catch let error as any HTTPResponseError {
            throw error
        } catch let error as HTTPParserError {
            // Hummingbird answers invalid HTTP with 400 and closes the connection.
            throw error
        } catch {
            // Each protocol has its own error type; no other failure is possible here.
            throw TruncatedBody(cause: error)
        }
        return bytes
    }

    private static var busy: Problem {
        Problem(
            .serviceUnavailable, code: "busy", detail: "Too many bodies are being received; retry.",
            retryAfter: Problem.failureRetrySeconds)
    }

    /// The announced length, read once; 0 where none is given.
    private static func length(of request: Request, upTo limit: Int) throws -> Int {
        var length = 0
        for field in request.headers {
            switch field.name {
            case .contentType: try requireJSON(field.value)
            case .contentEncoding: try requirePlain(field.value)
            case .contentLength:
                guard let stated = Int(field.value), stated >= 0 else {
                    throw Problem.invalid("Content-Length is not a number.", code: "badRequest")
                }
                guard stated <= limit else { throw Problem.tooLarge(limit: limit) }
                length = stated
            default: break
            }
        }
        return length
    }

    /// Bodies are read without decoding (RFC 9110 §8.4): a compressed one would be reported as
    /// invalid JSON.
    private static func requirePlain(_ encoding: String) throws {
        let name = encoding.lowercased().filter { !$0.isWhitespace }
        guard name.isEmpty || name == "identity" else {
            throw Problem(
                .unsupportedMediaType, code: "unsupportedMediaType",
                detail: "The body must be sent without Content-Encoding.")
        }
    }

    /// A body without a type is treated as JSON.
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

/// A body whose client disconnected, or was cut off, before all of it arrived. The response has no
/// reader, so this is not counted as a failure of the service.
struct TruncatedBody: Error {
    /// The connection's error; used for its type only.
    let cause: any Error
}
