internal import LedgerStore
internal import Synchronization

/// One sorted run on disk: an unnamed temporary file, removed with its last reference or with the
/// process.
final class RunFile: Sendable {
    private let file: OpenFile
    /// Bytes written; a run that ends earlier is damaged.
    private let writtenByteCount = Mutex<Int64>(0)

    /// Bytes written or read at a time.
    static let bufferByteCount = 256 * 1_024
    /// Runs read at once; if there are more, some are merged first, so that memory is bounded.
    static let maximumCount = 64

    /// An empty run. Throws `diskFull`, `fileReadOnly` or `ioError`.
    fileprivate init(directory: String) throws(StoreError) {
        file = try OpenFile.unnamed(in: directory)
    }

    /// Adds bytes at the end.
    fileprivate func append(_ bytes: [UInt8]) throws(StoreError) {
        try file.write(bytes)
        writtenByteCount.withLock { $0 += Int64(bytes.count) }
    }

    /// Throws `ioError` unless `offset` is where the run ends.
    func requireEnd(at offset: Int64) throws(StoreError) {
        guard writtenByteCount.withLock({ $0 }) == offset else {
            throw StoreError(
                .ioError, path: file.path, reason: "A temporary file was truncated.",
                remedy: "Check the disk.")
        }
    }

    /// Fills `buffer` from `offset` on; returns the number of bytes read, 0 at the end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StoreError) -> Int {
        try file.read(into: buffer, at: offset)
    }
}

extension RunFile {
    /// The runs that concurrent workers made. Throws the first error once all have ended.
    static func collect(
        _ workerCount: Int, _ work: @escaping @Sendable () async throws(StoreError) -> [RunFile]
    ) async throws(StoreError) -> [RunFile] {
        let outcomes = await withTaskGroup(of: Outcome<[RunFile]>.self) { group in
            for _ in 0..<max(1, workerCount) { group.addTask { await Outcome(work) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var files: [RunFile] = []
        for outcome in outcomes { files += try outcome.get() }
        return files
    }

    /// Writes a buffer's records to disk in order. Blocks.
    static func write(
        sorted buffer: RunBuffer, directory: String
    ) throws(StoreError) -> RunFile {
        var (buffer, writer) = (buffer, try RunWriter(directory: directory))
        try buffer.inOrder { (key, value) throws(StoreError) in
            try writer.append(key: key, value: value)
        }
        return try writer.finish()
    }

    /// Records merged between two calls of `report`.
    static let reportRecordCount = 8_192

    /// At most `maximumCount` runs with the contents of `files`. Blocks.
    ///
    /// - Parameter report: throws to end the merge.
    static func joined(
        _ files: [RunFile], directory: String, report: () throws(StoreError) -> Void = {}
    ) throws(StoreError) -> [RunFile] {
        var count = 0
        var files = files
        while files.count > maximumCount {
            var writer = try RunWriter(directory: directory)
            var merge = try RunMerge(Array(files.prefix(maximumCount)))
            while let record = merge.first {
                try writer.append(key: record.key, value: record.value)
                try merge.advance()
                count += 1
                if count.isMultiple(of: reportRecordCount) { try report() }
            }
            files.removeFirst(maximumCount)
            files.append(try writer.finish())
        }
        return files
    }
}

/// Writes a run; the caller provides the records in order. Blocks.
struct RunWriter {
    private let file: RunFile
    private var pending: [UInt8] = []

    init(directory: String) throws(StoreError) {
        file = try RunFile(directory: directory)
        pending.reserveCapacity(RunFile.bufferByteCount)
    }

    mutating func append(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) throws(StoreError) {
        withUnsafeBytes(of: UInt32(key.count)) { pending.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt32(value.count)) { pending.append(contentsOf: $0) }
        pending.append(contentsOf: key)
        pending.append(contentsOf: value)
        if pending.count >= RunFile.bufferByteCount { try flush() }
    }

    mutating func finish() throws(StoreError) -> RunFile {
        try flush()
        return file
    }

    private mutating func flush() throws(StoreError) {
        try file.append(pending)
        pending.removeAll(keepingCapacity: true)
    }
}
