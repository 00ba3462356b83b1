internal import Foundation
internal import LedgerStore

/// Several runs read as one, in ascending key order: a binary heap of their readers.
struct RunMerge {
    private var heap: [RunReader] = []

    init(_ files: [RunFile]) throws(StoreError) {
        for file in files {
            let reader = RunReader(file)
            if try reader.next() { heap.append(reader) }
        }
        for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }

    /// The reader positioned on the record with the smallest key; nil after the last.
    var first: RunReader? { heap.first }

    /// Advances past that record.
    mutating func advance() throws(StoreError) {
        guard let reader = heap.first else { return }
        if try !reader.next() {
            heap[0] = heap[heap.count - 1]
            heap.removeLast()
        }
        sink(0)
    }

    private mutating func sink(_ index: Int) {
        var index = index
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if RunOrder.compare(heap[child].key, heap[smallest].key) < 0 { smallest = child }
            }
            guard smallest != index else { return }
            heap.swapAt(index, smallest)
            index = smallest
        }
    }
}

/// Reads a run from its beginning.
final class RunReader {
    private let run: RunFile
    private var buffer: UnsafeMutableRawBufferPointer
    private var fileOffset: Int64 = 0
    private var start = 0
    private var end = 0
    private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)

    private static let headerByteCount = 8

    init(_ run: RunFile) {
        self.run = run
        buffer = .allocate(byteCount: RunFile.bufferByteCount, alignment: 8)
    }

    deinit { buffer.deallocate() }

    /// Moves to the next record: `key` and `value` are valid until the next call. False at the end.
    func next() throws(StoreError) -> Bool {
        guard try hold(RunReader.headerByteCount) else {
            try run.requireEnd(at: fileOffset - Int64(end - start))
            return false
        }
        let keyCount = Int(buffer.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        let valueCount = Int(buffer.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self))
        let count = RunReader.headerByteCount + keyCount + valueCount
        guard try hold(count) else {
            try run.requireEnd(at: -1)
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
            let read = try run.file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]), at: fileOffset)
            if read == 0 { return false }
            fileOffset += Int64(read)
            end += read
        }
        return true
    }
}
