import AppStore
import Foundation
import TestSupport
import Testing

@testable import Signing

/// The published receipts in `../shared/fixtures/receipts`, each with its record.
enum ReceiptFixtures {
    /// Empty if the folder is missing, which `Fixtures.isPresent` checks.
    static let manifest: [Entry] = {
        guard let bytes = try? Fixtures.bytes("receipts/manifest.json"),
            let entries = try? JSONValue.parse(bytes).array
        else { return [] }
        return entries.compactMap(Entry.init)
    }()

    static func labelled(_ label: String) -> [Entry] { manifest.filter { $0.label == label } }

    struct Entry: Sendable, CustomTestStringConvertible {
        let file: String
        let label: String
        let record: JSONValue

        init?(_ value: JSONValue) {
            guard let file = value["file"]?.string, let label = value["label"]?.string else {
                return nil
            }
            self.file = file
            self.label = label
            record = value
        }

        var testDescription: String { file }

        func bytes() throws -> [UInt8] { try Fixtures.bytes("receipts/" + file) }
    }

    /// A recorded date: RFC 3339, Xcode's without a colon in the offset; "" is nil.
    static func date(_ value: JSONValue?) throws -> Timestamp? {
        guard let text = value?.string, !text.isEmpty else { return nil }
        let zones = ["+0100": "+01:00", "+0000": "Z"]
        let zone = zones.first { text.hasSuffix($0.key) }
        let form = zone.map { text.dropLast($0.key.count) + $0.value } ?? text
        let date: Timestamp = try #require(Timestamp(rfc3339: form))
        return date
    }

    /// A recorded name; "" is nil.
    static func text(_ value: JSONValue?) -> String? {
        value?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A recorded number; 0 is nil.
    static func positive(_ value: JSONValue?) -> Int64? {
        value?.int64.flatMap { $0 == 0 ? nil : $0 }
    }
}
