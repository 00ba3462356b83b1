import Foundation
import Testing

/// Published data beside the repository. Tests that need it are skipped in a clone without it, and
/// fail in CI.
enum Fixtures {
    static let repository = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let folder = repository.appending(path: "../shared/fixtures").standardizedFileURL

    static let isPresent = FileManager.default.fileExists(atPath: folder.path)
    static let isDemanded = ProcessInfo.processInfo.environment["CI"] != nil

    /// Runs fixture tests where the fixtures exist, and fails them in CI where they do not.
    static let condition: ConditionTrait = .enabled(
        if: isPresent || isDemanded,
        "the published fixtures (../shared/fixtures beside the repository) are not here")

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: path)))
    }

    /// Every JWS file, in order; empty when there are no fixtures.
    static let tokens: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: "jws").path)
        return (names ?? []).sorted().filter { $0.hasSuffix(".jws") }.map { "jws/\($0)" }
    }()
}
