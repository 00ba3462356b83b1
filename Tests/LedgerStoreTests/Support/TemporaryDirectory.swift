import Foundation

/// A temporary directory for one test, removed with it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let name = "subledger-\(UUID().uuidString)"
        let url = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}
