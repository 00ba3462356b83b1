import Foundation
import SQLiteStore

/// Writes files that only their owner can read.
enum PrivateFile {
    /// Creates the file, durably; throws `ioError` where it exists or cannot be written, and then
    /// leaves no file of its own behind.
    static func create(_ path: String, _ bytes: [UInt8]) throws(CommandFailure) {
        // With its mode from the beginning: FileManager changes the mode afterwards.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritable(path) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: bytes)
            try file.synchronize()
            try OpenFile.synchronizeDirectory(of: path)
        } catch {
            unlink(path)
            throw CommandFailure(
                "ioError", "\(path) cannot be written; check its disk and its directory.", .io)
        }
    }

    /// Creates the file, or replaces it as a whole, durably: a reader finds the old bytes or the
    /// new ones. Follows a link to a file that exists, replaces one that leads nowhere, and writes
    /// into what is no regular file, such as a device or pipe.
    static func replace(_ link: String, _ bytes: [UInt8]) throws(CommandFailure) {
        guard !OpenFile.isSpecial(link) else { return try write(bytes, into: link) }
        let path = URL(filePath: link).resolvingSymlinksInPath().path
        let unfinished = "\(path).partial-\(getpid())"
        // Left by a process that was killed.
        unlink(unfinished)
        try create(unfinished, bytes)
        guard rename(unfinished, path) == 0 else {
            let refusal = unwritable(path)
            unlink(unfinished)
            throw refusal
        }
        do { try OpenFile.synchronizeDirectory(of: path) } catch { throw CommandFailure(error) }
    }

    private static func write(_ bytes: [UInt8], into path: String) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unwritable(path) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do { try file.write(contentsOf: bytes) } catch {
            throw CommandFailure("ioError", "\(path) cannot be written; check where it leads.", .io)
        }
    }

    private static func unwritable(_ path: String) -> CommandFailure {
        CommandFailure(
            "ioError",
            "\(path) cannot be written: \(String(cString: strerror(errno))); check the path.", .io)
    }
}
