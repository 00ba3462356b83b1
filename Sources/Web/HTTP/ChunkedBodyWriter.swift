import HTTPTypes
import Hummingbird
import NIOCore

/// Writes a body in pieces, each once the reader has accepted enough of the previous ones.
struct ChunkedBodyWriter: ResponseBodyWriter {
    var base: any ResponseBodyWriter
    /// Whether the body outlives every response: then a piece is a slice of it. Otherwise each is a
    /// copy, since a slice would retain the whole body until its last piece is read.
    var isShared = false

    /// Bytes of a piece: 32 KiB.
    static let byteCount = 32 * 1024

    /// A body shared by all responses: it is in memory once, however many readers wait for it.
    static func body(sharing buffer: ByteBuffer) -> ResponseBody {
        ResponseBody(contentLength: buffer.readableBytes) { writer in
            var pieces = ChunkedBodyWriter(base: writer, isShared: true)
            try await pieces.write(buffer)
            try await pieces.finish(nil)
        }
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        var rest = buffer
        while let piece = rest.readSlice(
            length: min(rest.readableBytes, ChunkedBodyWriter.byteCount)),
            piece.readableBytes > 0
        {
            try await base.write(isShared ? piece : ByteBuffer(bytes: piece.readableBytesView))
        }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await base.finish(trailingHeaders)
    }
}
