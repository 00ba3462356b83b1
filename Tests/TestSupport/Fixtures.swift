import AppStore
import Foundation
import Testing

/// Published data beside the repository; see the README there. Tests that need it are skipped in a
/// clone without it, and fail in CI.
package enum Fixtures {
    /// The directory of `Package.swift`.
    package static let repository = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    package static let folder = repository.appending(path: "../shared/fixtures").standardizedFileURL

    package static let isPresent = FileManager.default.fileExists(
        atPath: folder.appending(path: "jws/manifest.json").path)
    private static let isDemanded = ProcessInfo.processInfo.environment["CI"] != nil

    package static let condition: ConditionTrait = .enabled(
        if: isPresent || isDemanded,
        "the published fixtures (../shared/fixtures beside the repository) are not here")

    package static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: path)))
    }

    /// One JWS without the line break that may follow it in its file.
    ///
    /// - Parameter file: a name in `jws/`, or a path from the folder.
    package static func jws(_ file: String) throws -> [UInt8] {
        var bytes = try bytes(file.contains("/") ? file : "jws/" + file)
        while let last = bytes.last, last <= UInt8(ascii: " ") { bytes.removeLast() }
        return bytes
    }

    package static func text(_ file: String) throws -> String {
        String(decoding: try jws(file), as: UTF8.self)
    }

    /// The manifest of `jws/`; empty where the folder is missing.
    package static let manifest: [Entry] = {
        guard let bytes = try? bytes("jws/manifest.json"),
            let entries = try? JSONValue.parse(bytes).array
        else { return [] }
        return entries.compactMap(Entry.init)
    }()

    /// One file of `jws/` and its manifest entry.
    package struct Entry: Sendable, CustomTestStringConvertible {
        package let file: String
        package let label: String
        /// The kind of payload: notification-v2, transaction, renewal, app-transaction or other.
        package let what: String
        package let bundleId: String?
        package let signedDate: Timestamp?

        package init?(_ value: JSONValue) {
            guard let file = value["file"]?.string, let label = value["label"]?.string,
                let what = value["what"]?.string
            else { return nil }
            self.file = file
            self.label = label
            self.what = what
            bundleId = value["bundleId"]?.string
            signedDate = value["signedDate"]?.int64.map { Timestamp(milliseconds: $0) }
        }

        package var testDescription: String { file }

        package func jws() throws -> [UInt8] { try Fixtures.jws(file) }
    }
}
