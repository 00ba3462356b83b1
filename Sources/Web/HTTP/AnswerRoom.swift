import Hummingbird
import NIOCore
import Synchronization

/// The memory of answers that wait to be read: a reader that takes its time, or nothing at all,
/// costs no more than its share, and all of them together no more than one bound.
final class AnswerRoom: Sendable {
    private let held = Mutex(0)

    /// Bytes of all answers that are being made with evidence, or wait to be read: 64 MiB.
    static let heldByteCount = 64 * 1024 * 1024
    /// Of these, what is left to answers that are not among the largest. 16 MiB.
    static let reservedByteCount = 16 * 1024 * 1024
    /// Bytes of an answer up to which it takes from the reserve: 1 MiB.
    static let smallByteCount = 1024 * 1024
    /// Bytes of an answer up to which it is always given, and not counted: no more than a
    /// connection buffers anyway. 32 KiB.
    static let uncountedByteCount = AnswerPieces.byteCount
    /// What an answer with evidence takes while it is made, how long it will be not being known:
    /// the largest page, and the same again while it grows. 8 MiB.
    static let makingByteCount = 8 * 1024 * 1024

    /// Room for so many bytes; nil when there is none.
    func take(_ count: Int) -> Share? {
        let isSmall = count <= AnswerRoom.smallByteCount
        let room = AnswerRoom.heldByteCount - (isSmall ? 0 : AnswerRoom.reservedByteCount)
        let hasRoom = held.withLock { held in
            guard held + count <= room else { return false }
            held += count
            return true
        }
        return hasRoom ? Share(room: self, byteCount: count) : nil
    }

    /// As `take`; throws `busy` when there is none.
    func require(_ count: Int) throws(Problem) -> Share {
        if let share = take(count) { return share }
        throw Problem(
            .serviceUnavailable, code: "busy",
            detail: "Too many large answers wait to be read; ask again, or for a smaller page.",
            retryAfter: Problem.failureRetrySeconds)
    }

    /// The response, holding its share until it was written, its reader has gone or nobody wants
    /// it; written piece by piece, so that no more than a piece waits beyond that.
    ///
    /// Throws `busy`.
    func admit(_ response: Response) throws(Problem) -> Response {
        // A stream says no length, and bounds itself.
        guard let count = response.body.contentLength, count > AnswerRoom.uncountedByteCount
        else { return response }
        let share = try require(count)
        let body = response.body
        var response = response
        response.body = ResponseBody(contentLength: count) { writer in
            defer { withExtendedLifetime(share) {} }
            try await body.write(AnswerPieces(base: writer))
        }
        return response
    }

    /// Given back when nobody holds it any more.
    final class Share: Sendable {
        private let room: AnswerRoom
        private let byteCount: Int

        fileprivate init(room: AnswerRoom, byteCount: Int) {
            self.room = room
            self.byteCount = byteCount
        }

        deinit { room.held.withLock { $0 -= byteCount } }
    }
}

/// Sees to it that every answer of a group of routes has its share.
struct AnswerRoomMiddleware: RouterMiddleware {
    typealias Context = WebContext

    let room: AnswerRoom

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        // Of a HEAD nothing is written but the head.
        return request.method == .head ? response : try room.admit(response)
    }
}
