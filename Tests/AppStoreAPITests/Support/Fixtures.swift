import Foundation
import Testing

/// Apple's published examples beside the repository. Missing in an outside clone, where those tests
/// are skipped, but required in CI, where they fail.
enum Fixtures {
    static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "../shared/fixtures/apple-library/models").standardizedFileURL

    static let isPresent = FileManager.default.fileExists(
        atPath: folder.appending(path: "apiException.json").path)
    static let isDemanded = ProcessInfo.processInfo.environment["CI"] != nil

    static let condition: ConditionTrait = .enabled(
        if: isPresent || isDemanded,
        "the published fixtures (../shared/fixtures beside the repository) are not here")

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: "\(name).json")))
    }
}
