import HTTPTypes
import Hummingbird

/// The bounds of event streams.
enum StreamLimits {
    /// Concurrent streams.
    static let count = 100
    /// A comment is sent after this long without other data, to detect dead connections and keep
    /// live ones open.
    static let heartbeat: Duration = .seconds(15)
    /// The heartbeat after the reader closed its sending side: if it is gone, the comment provokes
    /// a reset, and the stream ends.
    static let halfClosedHeartbeat: Duration = .milliseconds(250)
    /// Reconnection delay sent to readers, in milliseconds.
    static let retryMilliseconds = 3_000
    /// How often the feed is polled.
    static let poll: Duration = .milliseconds(250)
    /// Longest `Last-Event-ID` that is accepted.
    static let cursorByteCount = 100
}

/// Bounds of change streams; tests use other times.
struct StreamRules: Sendable {
    var slots = SharedBudget(limit: StreamLimits.count)
    var heartbeat = StreamLimits.heartbeat
}

extension SharedBudget {
    /// A slot for one stream. Throws `tooManyStreams`.
    func slot() throws(Problem) -> Share {
        if let share = take(1) { return share }
        throw Problem(
            .serviceUnavailable, code: "tooManyStreams",
            detail: "All \(limit) streams are in use; retry later.", retryAfter: 10)
    }
}

extension Response {
    /// Server-sent events that `write` sends. The slot is released after the last one, or if the
    /// stream is never written.
    static func events(
        holding slot: SharedBudget.Share,
        _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        var headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
        // Buffering proxies would hold the stream back.
        if let buffering = HTTPField.Name("X-Accel-Buffering") { headers[buffering] = "no" }
        return Response(
            status: .ok, headers: headers,
            body: .init { body in
                defer { withExtendedLifetime(slot) {} }
                try await OffEventLoop.run { try await write(&body) }
                try await body.finish(nil)
            })
    }
}
