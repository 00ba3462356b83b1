import NIOCore

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
