internal import Foundation
internal import LedgerStore
internal import Synchronization

/// One sorted run on disk: an unnamed temporary file, removed with its last reference or with the
/// process.
final class RunFile: Sendable {
    private let descriptor: Int32
    private let directory: String
    /// Bytes written; a run that ends earlier is damaged.
    private let writtenByteCount = Mutex<Int64>(0)

    /// Bytes written or read at a time.
    static let bufferByteCount = 256 * 1_024
    /// Runs read at once; if there are more, some are merged first, so that memory is bounded.
    static let maximumCount = 64

    /// An empty run. Throws `diskFull`, `fileReadOnly` or `ioError`.
    fileprivate init(directory: String) throws(StoreError) {
        self.directory = directory
        var path = Array("\(directory)/.run-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw RunFile.failure(errno, directory) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(path)
    }

    deinit { close(descriptor) }

    fileprivate func complete(byteCount: Int64) { writtenByteCount.withLock { $0 = byteCount } }

    /// Throws `ioError` unless `offset` is where the run ends.
    func requireEnd(at offset: Int64) throws(StoreError) {
        guard writtenByteCount.withLock({ $0 }) == offset else {
            throw StoreError(
                .ioError, path: directory, reason: "A temporary file was truncated.",
                remedy: "Check the disk.")
        }
    }

    /// Fills `buffer` from `offset` on; returns the number of bytes read, 0 at the end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StoreError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw RunFile.failure(errno, directory) }
            return count
        }
    }

    fileprivate func write(_ bytes: [UInt8], at offset: Int64) throws(StoreError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                pwrite(
                    descriptor, all.baseAddress.map { $0 + written }, all.count - written,
                    off_t(offset) + off_t(written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw RunFile.failure(count < 0 ? errno : ENOSPC, directory) }
            written += count
        }
    }

    private static func failure(_ number: Int32, _ directory: String) -> StoreError {
        let detail = String(cString: strerror(number)) + "."
        switch number {
        case ENOSPC, EDQUOT:
            return StoreError(
                .diskFull, path: directory, reason: "The disk is full.",
                remedy: "Free space: sorting needs as much as the facts file has.")
        case EACCES, EPERM, EROFS: return .readOnly(path: directory, detail)
        default:
            return StoreError(
                .ioError, path: directory, reason: "A temporary file failed: \(detail)",
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

    /// At most `maximumCount` runs with the contents of `files`. Blocks.
    static func joined(
        _ files: [RunFile], directory: String
    ) throws(StoreError) -> [RunFile] {
        var files = files
        while files.count > maximumCount {
            var writer = try RunWriter(directory: directory)
            var merge = try RunMerge(Array(files.prefix(maximumCount)))
            while let record = merge.first {
                try writer.append(key: record.key, value: record.value)
                try merge.advance()
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
    private var offset: Int64 = 0

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

    mutating func append(key: [UInt8], value: [UInt8]) throws(StoreError) {
        let result = key.withUnsafeBytes { key in
            value.withUnsafeBytes { value in
                Result { () throws(StoreError) in try append(key: key, value: value) }
            }
        }
        try result.get()
    }

    mutating func finish() throws(StoreError) -> RunFile {
        try flush()
        file.complete(byteCount: offset)
        return file
    }

    private mutating func flush() throws(StoreError) {
        try file.write(pending, at: offset)
        offset += Int64(pending.count)
        pending.removeAll(keepingCapacity: true)
    }
}
