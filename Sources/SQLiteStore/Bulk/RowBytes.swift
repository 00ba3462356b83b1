internal import AppStore

/// Rows of one table encoded as bytes, column after column; read by `BulkInsert`.
///
///     column  = 0                     NULL
///             | 1, 8 bytes            integer, native order
///             | 2, 4 bytes, bytes     length and text
///             | 3, 4 bytes, bytes     length and blob
struct RowBytes: Sendable {
    private var bytes: [UInt8] = []
    /// Bytes written; `bytes` is longer, so that writing a column is a plain store.
    private var count = 0
    private(set) var rowCount = 0

    static let null: UInt8 = 0
    static let integer: UInt8 = 1
    static let text: UInt8 = 2
    static let blob: UInt8 = 3
    static let integerByteCount = 1 + MemoryLayout<Int64>.size
    static let headByteCount = 1 + MemoryLayout<UInt32>.size
    private static let firstByteCount = 64 * 1_024

    /// Starts a row; its columns follow.
    mutating func beginRow() { rowCount += 1 }

    mutating func append(_ value: Int64) {
        write(RowBytes.integerByteCount) { place in
            place.storeBytes(of: RowBytes.integer, as: UInt8.self)
            place.storeBytes(of: value, toByteOffset: 1, as: Int64.self)
        }
    }

    mutating func append(_ values: [ColumnValue]) {
        for value in values {
            switch value {
            case .null: write(1) { $0.storeBytes(of: RowBytes.null, as: UInt8.self) }
            case .integer(let integer): append(integer)
            case .text(let text): text.lendingUTF8 { append(text: UnsafeRawBufferPointer($0)) }
            case .bytes(let bytes): bytes.withUnsafeBytes { append(blob: $0) }
            }
        }
    }

    mutating func append(text: UnsafeRawBufferPointer) { write(RowBytes.text, text) }

    mutating func append(blob: UnsafeRawBufferPointer) { write(RowBytes.blob, blob) }

    private mutating func write(_ tag: UInt8, _ bytes: UnsafeRawBufferPointer) {
        write(RowBytes.headByteCount + bytes.count) { place in
            place.storeBytes(of: tag, as: UInt8.self)
            place.storeBytes(of: UInt32(bytes.count), toByteOffset: 1, as: UInt32.self)
            guard let start = bytes.baseAddress else { return }
            (place + RowBytes.headByteCount).copyMemory(from: start, byteCount: bytes.count)
        }
    }

    private mutating func write(_ byteCount: Int, _ body: (UnsafeMutableRawPointer) -> Void) {
        if count + byteCount > bytes.count {
            let more = max(bytes.count, byteCount, RowBytes.firstByteCount)
            bytes += [UInt8](repeating: 0, count: more)
        }
        let start = count
        bytes.withUnsafeMutableBytes { all in
            if let place = all.baseAddress { body(place + start) }
        }
        count += byteCount
    }

    /// Passes the written bytes to `body` without a copy.
    func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}
