import AppStore
import Foundation
import Testing

/// Real and published data beside the repository (`../shared/fixtures`); see the README there.
enum Fixtures {
    static let folder: URL = {
        var url = URL(fileURLWithPath: #filePath)
        // File, SigningTests, Tests; the rest is the repository.
        for _ in 0..<3 { url.deleteLastPathComponent() }
        return url.deletingLastPathComponent().appendingPathComponent("shared/fixtures")
    }()

    static let isPresent = FileManager.default.fileExists(
        atPath: folder.appendingPathComponent("jws/manifest.json").path)

    /// In CI the tests run, and fail, if the folder is missing.
    static let isUsable = isPresent || ProcessInfo.processInfo.environment["CI"] != nil

    static let absence: Comment = "needs the published data in ../shared/fixtures"

    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(path)))
    }

    /// One JWS; a trailing line break of the file is not part of it.
    static func jws(_ path: String) throws -> [UInt8] {
        var bytes = try bytes(path)
        while let last = bytes.last, last == 0x0A || last == 0x0D || last == 0x20 {
            bytes.removeLast()
        }
        return bytes
    }

    /// The manifest of `jws/`, or empty if the folder is missing, which `isPresent` checks.
    static let manifest: [Entry] = {
        guard let bytes = try? bytes("jws/manifest.json"),
            let entries = try? JSONValue.parse(bytes).array
        else { return [] }
        return entries.compactMap(Entry.init)
    }()

    static func labelled(_ labels: String...) -> [Entry] {
        manifest.filter { labels.contains($0.label) }
    }

    struct Entry: Sendable, CustomTestStringConvertible {
        let file: String
        let label: String
        let what: String
        let signedDate: Timestamp?

        init?(_ value: JSONValue) {
            guard let file = value["file"]?.string, let label = value["label"]?.string,
                let what = value["what"]?.string
            else { return nil }
            self.file = file
            self.label = label
            self.what = what
            signedDate = value["signedDate"]?.int64.map { Timestamp(milliseconds: $0) }
        }

        var testDescription: String { file }

        func jws() throws -> [UInt8] { try Fixtures.jws("jws/" + file) }
    }
}
