internal import Foundation
package import LedgerStore

/// An open file, read and written in whole blocks, and closed with its last reference.
package final class OpenFile: Sendable {
    let descriptor: Int32
    let path: String

    /// Bytes read at a time.
    static let blockByteCount = 1_024 * 1_024

    /// Opens for reading. Throws `fileReadOnly`, `ioError`.
    static func reading(_ path: String) throws(StoreError) -> OpenFile {
        try OpenFile(path, O_RDONLY)
    }

    /// Opens an existing file for writing at its end.
    static func appending(_ path: String) throws(StoreError) -> OpenFile {
        try OpenFile(path, O_WRONLY | O_APPEND)
    }

    /// Creates a new file, private to the user.
    static func making(_ path: String) throws(StoreError) -> OpenFile {
        try OpenFile(path, O_RDWR | O_CREAT | O_EXCL)
    }

    /// Opens a directory, to sync its entries.
    static func directory(_ path: String) throws(StoreError) -> OpenFile {
        try OpenFile(path, O_RDONLY | O_DIRECTORY)
    }

    /// Syncs the directory of a file, so that the file's name is durable.
    package static func synchronizeDirectory(of path: String) throws(StoreError) {
        try directory(DatabaseFile.parent(of: path)).synchronize()
    }

    /// Whether the path leads to something other than a regular file: a device, a pipe.
    package static func isSpecial(_ path: String) -> Bool {
        stat.at(path).map { $0.kind != S_IFREG } ?? false
    }

    /// Creates a temporary file without a name; `path` is its directory.
    static func unnamed(in directory: String) throws(StoreError) -> OpenFile {
        var path = Array("\(directory)/.run-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw DatabaseFile.systemError(errno, path: directory) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(path)
        return OpenFile(descriptor, directory)
    }

    private init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    private init(_ path: String, _ flags: Int32) throws(StoreError) {
        descriptor = open(path, flags | O_CLOEXEC, DatabaseFile.fileMode)
        self.path = path
        guard descriptor >= 0 else { throw DatabaseFile.systemError(errno, path: path) }
    }

    deinit { close(descriptor) }

    /// The file's length.
    func byteCount() throws(StoreError) -> Int64 {
        guard let status = stat.of(descriptor) else { throw failure }
        return Int64(status.st_size)
    }

    /// The bytes from `offset`, at most `count`; fewer only at the end.
    func read(at offset: Int64, count: Int) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let result = bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(StoreError) in
                    try read(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]),
                        at: offset + Int64(filled))
                }
            }
            let got = try result.get()
            if got == 0 { break }
            filled += got
        }
        bytes.removeLast(count - filled)
        return bytes
    }

    /// Reads into `buffer` from `offset` on, once; returns the number of bytes, 0 at the end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StoreError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure }
            return count
        }
    }

    /// Writes all bytes at the file's current offset.
    func write(_ bytes: [UInt8]) throws(StoreError) {
        var written = 0
        while written < bytes.count {
            let done = bytes.withUnsafeBytes { buffer in
                Foundation.write(
                    descriptor, buffer.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if done < 0, errno == EINTR { continue }
            guard done >= 0 else { throw failure }
            written += done
        }
    }

    /// Syncs the file to disk.
    func synchronize() throws(StoreError) {
        guard fsync(descriptor) == 0 else { throw failure }
    }

    private var failure: StoreError { DatabaseFile.systemError(errno, path: path) }
}
