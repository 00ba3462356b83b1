import Foundation
import Testing

/// Published data beside the repository. Missing in a stranger's clone (those tests are skipped),
/// never in CI (there they fail).
enum Fixtures {
    static let repository = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let folder = repository.appending(path: "../shared/fixtures").standardizedFileURL

    static let isPresent = FileManager.default.fileExists(atPath: folder.path)
    static let isDemanded = ProcessInfo.processInfo.environment["CI"] != nil

    /// Runs fixture tests where the fixtures are, and fails them in CI where they are not.
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
