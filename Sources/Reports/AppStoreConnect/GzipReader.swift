import AppStore
internal import CZlib

/// Decompresses gzip (RFC 1952) in pieces, by zlib: holds one piece of input and one of output.
final class GzipReader {
    /// Returns the next bytes of input; nil at the end.
    typealias Source = () throws -> [UInt8]?

    /// Maximum output of one call.
    static let pieceByteCount = 65_536

    private let source: Source
    private var input: [UInt8] = []
    /// The first byte of `input` that was not decompressed.
    private var place = 0
    /// Whether a member has begun and not ended; a file may have several.
    private var isInMember = false
    /// Whether the last piece was full, so that zlib may hold more output.
    private var isFull = false
    /// Allocated, because zlib compares its address with that of the first call.
    private let stream: UnsafeMutablePointer<z_stream>

    /// The first bytes of every member.
    static let magic: [UInt8] = [0x1F, 0x8B]

    static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    init(_ source: @escaping Source) {
        self.source = source
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Without memory it stays without state, and decompressing fails.
        _ = subledger_inflate_gzip(stream)
    }

    deinit {
        _ = inflateEnd(stream)
        stream.deallocate()
    }

    /// The next decompressed bytes; nil at the end. Throws `SalesReportError.damagedGzip`, and
    /// what the source throws.
    func next() throws -> [UInt8]? {
        while true {
            if place == input.count, !isFull {
                guard let more = try source() else {
                    guard !isInMember else { throw SalesReportError.damagedGzip }
                    return nil
                }
                (input, place) = (more, 0)
                if more.isEmpty { continue }
            }
            let output = try decompress()
            if !output.isEmpty { return output }
        }
    }

    private func decompress() throws -> [UInt8] {
        let count = GzipReader.pieceByteCount
        let rest = input[place...]
        var status = Z_OK
        let output = [UInt8](unsafeUninitializedCapacity: count) { space, written in
            rest.withUnsafeBufferPointer { bytes in
                stream.pointee.next_in = bytes.baseAddress
                stream.pointee.avail_in = UInt32(bytes.count)
                stream.pointee.next_out = space.baseAddress
                stream.pointee.avail_out = UInt32(count)
                status = inflate(stream, Z_NO_FLUSH)
            }
            written = count - Int(stream.pointee.avail_out)
        }
        place = input.count - Int(stream.pointee.avail_in)
        isFull = output.count == count
        switch status {
        // Without progress: the next input is needed.
        case Z_OK, Z_BUF_ERROR: isInMember = true
        case Z_STREAM_END:
            (isInMember, isFull) = (false, false)
            _ = inflateReset(stream)
        default: throw SalesReportError.damagedGzip
        }
        return output
    }
}
