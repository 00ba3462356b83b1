import HTTPTypes
import Hummingbird
import NIOCore

/// Writes a body in pieces, each once its reader has taken enough of those before. Each is a copy:
/// a slice would keep the whole body for as long as the last of it waits.
struct AnswerPieces: ResponseBodyWriter {
    var base: any ResponseBodyWriter

    /// Bytes of a piece: 32 KiB.
    static let byteCount = 32 * 1024

    mutating func write(_ buffer: ByteBuffer) async throws {
        var rest = buffer
        while let piece = rest.readSlice(length: min(rest.readableBytes, AnswerPieces.byteCount)),
            piece.readableBytes > 0
        {
            try await base.write(ByteBuffer(bytes: piece.readableBytesView))
        }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await base.finish(trailingHeaders)
    }
}
