import NIOCore

/// How many frames of HTTP/2 a connection may still send. Every frame costs one; requests, and bytes
/// of bodies in either direction, earn some, and so does time. What is earned beyond the bound is
/// lost, so that nobody saves up for a flood.
struct FrameAllowance {
    /// Frames that a request brings with it: its head, an end of its body, room for its answer.
    static let framesPerRequest = 8
    /// Bytes of a body, or of answers, that account for one frame.
    static let bytesPerFrame = 64

    private let limits: ConnectionLimits
    /// In bytes that account for frames.
    private var left: Int
    private var earnedAt: NIODeadline

    init(limits: ConnectionLimits, now: NIODeadline) {
        self.limits = limits
        left = limits.frameCount * FrameAllowance.bytesPerFrame
        earnedAt = now
    }

    /// A frame's head (RFC 9113 §4.1), as far as it counts.
    struct Frame: Equatable {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1

        let type: UInt8
        /// Of its payload.
        let byteCount: Int
    }

    /// Whether the frame may come; counts it if so.
    ///
    /// - Parameter now: asked only of who has nothing left.
    mutating func take(_ frame: Frame, now: @autoclosure () -> NIODeadline) -> Bool {
        switch frame.type {
        case Frame.data: earn(byteCount: frame.byteCount)
        case Frame.headers:
            earn(byteCount: FrameAllowance.framesPerRequest * FrameAllowance.bytesPerFrame)
        default: break
        }
        if left < FrameAllowance.bytesPerFrame { earnTime(now()) }
        guard left >= FrameAllowance.bytesPerFrame else { return false }
        left -= FrameAllowance.bytesPerFrame
        return true
    }

    /// Bytes of a body, or of an answer.
    mutating func earn(byteCount: Int) {
        left = min(left + byteCount, limits.frameCount * FrameAllowance.bytesPerFrame)
    }

    private mutating func earnTime(_ now: NIODeadline) {
        // No connection is so old that its allowance would not be full long before.
        let seconds = min((now - earnedAt).nanoseconds / 1_000_000_000, Int64(limits.frameCount))
        guard seconds > 0 else { return }
        earnedAt = now
        earn(byteCount: Int(seconds) * limits.framesPerSecond * FrameAllowance.bytesPerFrame)
    }
}
