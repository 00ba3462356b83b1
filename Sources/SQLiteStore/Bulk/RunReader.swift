internal import Foundation
internal import LedgerStore

/// Reads a run from its beginning.
final class RunReader {
    private let file: RunFile
    private var buffer: UnsafeMutableRawBufferPointer
    private var fileOffset: Int64 = 0
    private var start = 0
    private var end = 0
    private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)

    private static let headerByteCount = 8

    init(_ file: RunFile) {
        self.file = file
        buffer = .allocate(byteCount: RunFile.bufferByteCount, alignment: 8)
    }

    deinit { buffer.deallocate() }

    /// Moves to the next record: `key` and `value` are valid until the next call. False at the end.
    func next() throws(StoreError) -> Bool {
        guard try hold(RunReader.headerByteCount) else {
            try file.requireEnd(at: fileOffset - Int64(end - start))
            return false
        }
        let keyCount = Int(buffer.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        let valueCount = Int(buffer.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self))
        let count = RunReader.headerByteCount + keyCount + valueCount
        guard try hold(count) else {
            try file.requireEnd(at: -1)
            return false
        }
        let keyStart = start + RunReader.headerByteCount
        key = UnsafeRawBufferPointer(rebasing: buffer[keyStart..<keyStart + keyCount])
        value = UnsafeRawBufferPointer(rebasing: buffer[keyStart + keyCount..<start + count])
        start += count
        return true
    }

    /// Ensures that `count` bytes from `start` on are in the buffer; false when the file ends
    /// before.
    private func hold(_ count: Int) throws(StoreError) -> Bool {
        if end - start >= count { return true }
        if buffer.count < count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
            larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
            buffer.deallocate()
            buffer = larger
        } else if start > 0 {
            memmove(buffer.baseAddress!, buffer.baseAddress! + start, end - start)
        }
        end -= start
        start = 0
        while end < count {
            let read = try file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]), at: fileOffset)
            if read == 0 { return false }
            fileOffset += Int64(read)
            end += read
        }
        return true
    }
}
