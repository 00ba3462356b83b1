import AppStore
import Foundation
import Testing

/// Published data beside the repository. Missing in other clones (those tests are skipped), never
/// in CI (there they fail).
enum Fixtures {
    /// The directory of `Package.swift`.
    static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let folder = repository.appending(path: "../shared/fixtures").standardizedFileURL

    static let isPresent = FileManager.default.fileExists(
        atPath: folder.appending(path: "jws/manifest.json").path)
    static let isDemanded = ProcessInfo.processInfo.environment["CI"] != nil

    static let condition: ConditionTrait = .enabled(
        if: isPresent || isDemanded,
        "the published fixtures (../shared/fixtures beside the repository) are not here")

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: path)))
    }

    /// One JWS without the line break that may follow it in its file.
    static func jws(_ file: String) throws -> [UInt8] {
        var bytes = try bytes("jws/" + file)
        while let last = bytes.last, last <= UInt8(ascii: " ") { bytes.removeLast() }
        return bytes
    }

    static func text(_ file: String) throws -> String {
        String(decoding: try jws(file), as: UTF8.self)
    }

    /// The manifest of `jws/`; empty where the folder is missing.
    static let manifest: [Entry] = {
        guard let bytes = try? bytes("jws/manifest.json"),
            let entries = try? JSONValue.parse(bytes).array
        else { return [] }
        return entries.compactMap(Entry.init)
    }()

    /// One file of `jws/` and its manifest entry.
    struct Entry: Sendable, CustomTestStringConvertible {
        let file: String
        let label: String
        /// The kind of payload: notification-v2, transaction, renewal, app-transaction or other.
        let what: String
        let bundleId: String?

        init?(_ value: JSONValue) {
            guard let file = value["file"]?.string, let label = value["label"]?.string,
                let what = value["what"]?.string
            else { return nil }
            self.file = file
            self.label = label
            self.what = what
            bundleId = value["bundleId"]?.string
        }

        var testDescription: String { file }
    }

    /// The eight notifications of one sandbox subscriber, in Apple's order.
    static let subscriber = [
        "013-notification-DID_RENEW.jws", "014-notification-EXPIRED-VOLUNTARY.jws",
        "015-notification-SUBSCRIBED-RESUBSCRIBE.jws",
        "016-notification-DID_CHANGE_RENEWAL_STATUS-AUTO_RENEW_DISABLED.jws",
        "017-notification-EXPIRED-VOLUNTARY.jws",
        "018-notification-SUBSCRIBED-RESUBSCRIBE.jws",
        "019-notification-DID_CHANGE_RENEWAL_PREF-UPGRADE.jws",
        "020-notification-DID_CHANGE_RENEWAL_STATUS-AUTO_RENEW_DISABLED.jws",
    ]
    static let subscriberId = "2000001024993299"
    static let subscriberApp = "com.loki-project.loki-messenger"
}
