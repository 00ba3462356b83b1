import Foundation
import Synchronization

/// A directory for one test, removed with it.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "subledger-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    /// A directory that tests share; removed at the end of the process.
    package static func shared() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        kept.withLock { directories in
            if directories.isEmpty { atexit { TemporaryDirectory.removeShared() } }
            directories.append(directory)
        }
        return directory
    }

    private static let kept = Mutex<[TemporaryDirectory]>([])

    private static func removeShared() {
        for directory in kept.withLock({ $0 }) {
            try? FileManager.default.removeItem(atPath: directory.path)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file and returns its path.
    package func write(_ bytes: [UInt8], to name: String) throws -> String {
        let path = file(name)
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }
}
