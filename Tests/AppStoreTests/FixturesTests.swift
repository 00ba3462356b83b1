import Foundation
import TestSupport
import Testing

extension Fixtures {
    /// The payload segment of a compact JWS file.
    static func payload(_ path: String) throws -> [UInt8] {
        let parts = String(decoding: try bytes(path), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
            .split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3, "\(path) is not a compact JWS")
        var text = String(parts[1]).replacingOccurrences(of: "-", with: "+")
            .replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        let data = try #require(Data(base64Encoded: text), "\(path) is not base64url")
        return Array(data)
    }

    /// Paths of the JWS whose names contain `kind`, in order; empty without fixtures.
    static func signed(_ kind: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: "jws").path)
        return (names ?? []).sorted()
            .filter { $0.contains("-\(kind)") && $0.hasSuffix(".jws") }.map { "jws/\($0)" }
    }

    static let notifications = signed("notification")
    static let appTransactions = signed("app-transaction")
    static let transactions = signed("transaction").filter { !appTransactions.contains($0) }
    static let renewals = signed("renewal").filter { !$0.contains("null-payload") }
    static let nulls = signed("renewal-null-payload")
}

@Suite("Fixtures")
struct FixturesTests {
    @Test("The folder has every kind of payload", Fixtures.condition)
    func everyKind() {
        #expect(Fixtures.notifications.count >= 20)
        #expect(Fixtures.transactions.count >= 25)
        #expect(Fixtures.renewals.count >= 15)
        #expect(Fixtures.appTransactions.count >= 2)
        #expect(Fixtures.nulls.count == 2)
    }
}
