import Foundation

/// The directory of one run, in memory where possible: thousands of ledgers are created, and none
/// has to survive the machine.
final class Scratch: Sendable {
    let path: String

    private static let memory = "/dev/shm"

    init() throws {
        let parent =
            access(Scratch.memory, W_OK) == 0
            ? URL(filePath: Scratch.memory) : FileManager.default.temporaryDirectory
        let url = parent.appending(path: "subledger-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
