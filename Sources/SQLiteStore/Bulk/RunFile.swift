internal import LedgerStore

/// One sorted run on disk: an unnamed temporary file, removed with its last reference or with the
/// process.
struct RunFile: Sendable {
    let file: OpenFile
    /// Bytes written; a run that ends earlier is damaged.
    fileprivate let byteCount: Int64

    /// Bytes written or read at a time.
    static let bufferByteCount = 256 * 1_024
    /// Runs read at once; if there are more, some are merged first, so that memory is bounded.
    static let maximumCount = 64

    /// Throws `ioError` unless `offset` is where the run ends.
    func requireEnd(at offset: Int64) throws(StoreError) {
        guard byteCount == offset else {
            throw StoreError(
                .ioError, path: file.path, reason: "A temporary file was truncated.",
                remedy: "Check the disk.")
        }
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
    private let file: OpenFile
    private var byteCount: Int64 = 0
    private var pending: [UInt8] = []

    /// Throws `diskFull`, `fileReadOnly` or `ioError`.
    init(directory: String) throws(StoreError) {
        file = try OpenFile.unnamed(in: directory)
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
        return RunFile(file: file, byteCount: byteCount)
    }

    private mutating func flush() throws(StoreError) {
        try file.write(pending)
        byteCount += Int64(pending.count)
        pending.removeAll(keepingCapacity: true)
    }
}
