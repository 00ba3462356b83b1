import Hummingbird
import NIOCore

/// The memory budget of responses waiting to be read: a slow or stalled reader costs no more than
/// its share, and all of them together no more than one bound.
final class ResponseMemoryBudget: Sendable {
    /// Bytes of all responses that are being built with evidence, or wait to be read: 64 MiB.
    static let heldByteCount = 64 * 1024 * 1024
    /// Of these, bytes reserved for smaller responses. 16 MiB.
    static let reservedByteCount = 16 * 1024 * 1024
    /// Bytes of a response up to which it uses the reserve: 1 MiB.
    static let smallByteCount = 1024 * 1024
    /// Bytes of a response up to which it is always admitted and not counted, since a connection
    /// buffers that much anyway. 32 KiB.
    static let uncountedByteCount = ChunkedBodyWriter.byteCount
    /// Bytes charged for a response with evidence while it is built, when its length is unknown:
    /// the largest page, and the same again while the buffer grows. 8 MiB.
    static let makingByteCount = 8 * 1024 * 1024

    private let held = SharedBudget(
        limit: ResponseMemoryBudget.heldByteCount, reserve: ResponseMemoryBudget.reservedByteCount)

    /// A share of `count` bytes; nil when there is no room.
    func take(_ count: Int) -> SharedBudget.Share? {
        held.take(count, isSmall: count <= ResponseMemoryBudget.smallByteCount)
    }

    /// As `take`, but throws `busy`, or `internal` for a count that no retry could admit.
    func require(_ count: Int) throws(Problem) -> SharedBudget.Share {
        if let share = take(count) { return share }
        guard count <= ResponseMemoryBudget.heldByteCount - ResponseMemoryBudget.reservedByteCount
        else {
            // No retry would find room.
            throw Problem(
                .internalServerError, code: "internal",
                detail: "The answer is larger than the service can send; request less of it.")
        }
        throw Problem(
            .serviceUnavailable, code: "busy",
            detail: "Too many large responses wait to be read; retry, or request a smaller page.",
            retryAfter: Problem.failureRetrySeconds)
    }

    /// The response, written piece by piece. It holds its share until it is written, its reader has
    /// gone, or it is released; beyond the share only one piece is buffered.
    ///
    /// Throws as `require`.
    func admit(_ response: Response) throws(Problem) -> Response {
        // A stream has no length and bounds itself.
        guard let count = response.body.contentLength,
            count > ResponseMemoryBudget.uncountedByteCount
        else { return response }
        let share = try require(count)
        let body = response.body
        var response = response
        response.body = ResponseBody(contentLength: count) { writer in
            defer { withExtendedLifetime(share) {} }
            try await body.write(ChunkedBodyWriter(base: writer))
        }
        return response
    }
}

/// Charges every response of a route group to the budget.
struct ResponseMemoryMiddleware: RouterMiddleware {
    let room: ResponseMemoryBudget

    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        let response = try await next(request, context)
        // A response to HEAD has no body.
        return request.method == .head ? response : try room.admit(response)
    }
}
