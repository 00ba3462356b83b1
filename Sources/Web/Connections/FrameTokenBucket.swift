import NIOCore

/// A token bucket of HTTP/2 frames that a connection may send. Every frame costs one; requests,
/// body bytes in either direction, and time add to it. It is capped, so that a client cannot save
/// up for a flood.
struct FrameTokenBucket {
    /// Frames a request accounts for: its head, the end of its body, flow control for its response.
    static let framesPerRequest = 8
    /// Bytes of a request or response body that account for one frame.
    static let bytesPerFrame = 64

    private let limits: ConnectionLimits
    /// In bytes that account for frames.
    private var left: Int
    private var earnedAt: NIODeadline

    init(limits: ConnectionLimits, now: NIODeadline) {
        self.limits = limits
        left = limits.frameCount * FrameTokenBucket.bytesPerFrame
        earnedAt = now
    }

    /// A frame's head (RFC 9113 §4.1), without what the count ignores.
    struct Frame: Equatable {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1

        let type: UInt8
        /// Length of the payload.
        let byteCount: Int
    }

    /// Whether the frame is allowed; counts it if so.
    ///
    /// - Parameter now: evaluated only when the bucket is empty.
    mutating func take(_ frame: Frame, now: @autoclosure () -> NIODeadline) -> Bool {
        switch frame.type {
        case Frame.data: earn(byteCount: frame.byteCount)
        case Frame.headers:
            earn(byteCount: FrameTokenBucket.framesPerRequest * FrameTokenBucket.bytesPerFrame)
        default: break
        }
        if left < FrameTokenBucket.bytesPerFrame { earnTime(now()) }
        guard left >= FrameTokenBucket.bytesPerFrame else { return false }
        left -= FrameTokenBucket.bytesPerFrame
        return true
    }

    /// Adds for bytes of a request or response body.
    mutating func earn(byteCount: Int) {
        left = min(left + byteCount, limits.frameCount * FrameTokenBucket.bytesPerFrame)
    }

    private mutating func earnTime(_ now: NIODeadline) {
        // Bounded, since an older connection's bucket is full anyway.
        let seconds = min((now - earnedAt).nanoseconds / 1_000_000_000, Int64(limits.frameCount))
        guard seconds > 0 else { return }
        earnedAt = now
        earn(byteCount: Int(seconds) * limits.framesPerSecond * FrameTokenBucket.bytesPerFrame)
    }
}
