import Foundation
import Synchronization

/// A directory for one test, removed with it.
package final class TemporaryDirectory: Sendable {
    package let path: String

    private static let memory = "/dev/shm"

    /// Containers often have so little there that tests would fill it.
    private static let hasMemory: Bool = {
        var status = statvfs()
        guard access(memory, W_OK) == 0, statvfs(memory, &status) == 0 else { return false }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize) > 4 << 30
    }()

    /// - Parameter inMemory: in memory where the machine has a file system with room for it, for
    ///   many directories none of which has to survive the machine.
    package init(inMemory: Bool = false) throws {
        let parent =
            inMemory && TemporaryDirectory.hasMemory
            ? URL(filePath: TemporaryDirectory.memory) : FileManager.default.temporaryDirectory
        let url = parent.appending(path: "subledger-test-\(UUID().uuidString)")
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
