import NIOCore
import NIOTLS

/// Closes an HTTP/2 connection that sends too many frames without requests. It runs before the
/// HTTP/2 decoder and counts every frame, since SwiftNIO's own limits ignore WINDOW_UPDATE, GOAWAY,
/// unknown types and tiny DATA frames.
final class FrameBound: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// ENHANCE_YOUR_CALM (RFC 9113 §7).
    private static let enhanceYourCalm: UInt32 = 0xb

    private var allowance: FrameTokenBucket
    private var heads = FrameHeads()
    private var isOver = false

    init(limits: ConnectionLimits, now: NIODeadline) {
        allowance = FrameTokenBucket(limits: limits, now: now)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        // HTTP/1 has no frames.
        if case .handshakeCompleted(let chosen)? = event as? TLSUserEvent, chosen != "h2" {
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        let loop = context.eventLoop
        heads.read(unwrapInboundIn(data)) { frame in
            isOver = !allowance.take(frame, now: loop.now)
            return !isOver
        }
        guard isOver else { return context.fireChannelRead(data) }
        end(context)
    }

    /// Bytes written to the client add to its allowance.
    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        allowance.earn(byteCount: unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }

    /// GOAWAY (RFC 9113 §6.8). Streams already started may have been processed, so none is declared
    /// unprocessed.
    private func end(_ context: ChannelHandlerContext) {
        var frame = context.channel.allocator.buffer(capacity: FrameHeads.headByteCount + 8)
        // Length and type, no flags, stream 0.
        frame.writeInteger(UInt32(8) << 8 | 7)
        frame.writeRepeatingByte(0, count: 5)
        frame.writeInteger(UInt32(Int32.max))
        frame.writeInteger(FrameBound.enhanceYourCalm)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        context.close(promise: nil)
    }
}

/// Finds frame heads in the bytes of an HTTP/2 client (RFC 9113 §4.1), however they are split;
/// skips payloads.
struct FrameHeads {
    /// "PRI * HTTP/2.0" and the rest of the client preface, before the first frame (RFC 9113 §3.4).
    static let prefaceByteCount = 24
    static let headByteCount = 9

    /// Bytes until the next head.
    private var skipped = FrameHeads.prefaceByteCount
    /// A partial head; only its first four bytes matter.
    private var head: UInt32 = 0
    private var headLength = 0

    /// Calls `emit` for every head these bytes complete, until it returns false.
    mutating func read(
        _ bytes: ByteBuffer, _ emit: (FrameTokenBucket.Frame) -> Bool
    ) {
        bytes.withUnsafeReadableBytes { bytes in
            var index = 0
            while index < bytes.count {
                guard skipped == 0 else {
                    let some = min(skipped, bytes.count - index)
                    skipped -= some
                    index += some
                    continue
                }
                if headLength < 4 { head = head << 8 | UInt32(bytes[index]) }
                headLength += 1
                index += 1
                guard headLength == FrameHeads.headByteCount else { continue }
                let byteCount = Int(head >> 8)
                headLength = 0
                skipped = byteCount
                let frame = FrameTokenBucket.Frame(
                    type: UInt8(truncatingIfNeeded: head), byteCount: byteCount)
                guard emit(frame) else { return }
            }
        }
    }
}

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
