import Foundation

/// A whole file, or standard input.
package enum InputFile {
    private static let pieceByteCount = 1_024 * 1_024

    /// Why there is no file to read at a path; nil where there is one.
    package static func obstacle(_ path: String) -> String? {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return "there is no such file"
        }
        if isDirectory.boolValue { return "it is a directory" }
        return FileManager.default.isReadableFile(atPath: path) ? nil : "it cannot be read"
    }

    /// Whether a path leads to something other than a regular file, such as a pipe, in which a read
    /// may wait without end.
    package static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// At most one byte more than `limit`, which is enough to detect what is too long; nil for what
    /// cannot be read, and for a directory. Blocks.
    ///
    /// - Parameter path: `-` is standard input.
    package static func read(_ path: String, limit: Int) -> [UInt8]? {
        path == "-" ? read(.standardInput, limit) : readFile(path, limit: limit)
    }

    /// The same of a path only: `-` is a file of that name.
    package static func readFile(_ path: String, limit: Int) -> [UInt8]? {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
            !isDirectory.boolValue, let handle = FileHandle(forReadingAtPath: path)
        else { return nil }
        defer { try? handle.close() }
        return read(handle, limit)
    }

    private static func read(_ handle: FileHandle, _ limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        do {
            while bytes.count <= limit,
                let piece = try handle.read(
                    upToCount: min(pieceByteCount, limit + 1 - bytes.count)), !piece.isEmpty
            {
                bytes += piece
            }
        } catch { return nil }
        return bytes
    }
}
