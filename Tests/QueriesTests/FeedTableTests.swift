import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// The documented names of changes, and their sources.
@Suite("Tables of Feeds.md")
struct FeedTableTests {
    private static func page() throws -> String {
        try String(
            contentsOf: Fixtures.repository.appending(
                path: "Sources/Queries/Queries.docc/Feeds.md"), encoding: .utf8)
    }

    /// Cells of the rows between a heading and the next.
    private static func rows(_ heading: String) throws -> [[String]] {
        let parts = try page().components(separatedBy: "\n" + heading + "\n")
        let body = try #require(parts.count == 2 ? parts[1] : nil).components(separatedBy: "\n#")[0]
        let lines = body.components(separatedBy: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        return lines.map { line in
            line.components(separatedBy: "|").dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// Texts in backticks.
    private static func quoted(_ text: String) -> Set<String> {
        Set(text.matches(of: /`([A-Za-z]+(?:\.[a-z]+)?)`/).map { String($0.1) })
    }

    @Test("every change name is in the page, and the page has no other")
    func names() throws {
        let page = try FeedTableTests.page()
        let body = try #require(page.components(separatedBy: "\n## Names\n").last)
            .components(separatedBy: "\n###")[0]
        let reported = FeedTableTests.quoted(body).subtracting(["renewing", "test", "entry.reason"])
        #expect(reported == Set(ChangeName.allCases.map(\.rawValue)))
    }

    @Test("every notification type maps to existing change names")
    func types() throws {
        let rows = try FeedTableTests.rows("### From Apple's types and to RevenueCat's names")
        #expect(rows.count > 20)
        var types: Set<String> = []
        for row in rows {
            #expect(row.count == 3)
            types.formUnion(row[0].matches(of: /[A-Z][A-Z_]+/).map { String($0.0) })
            for name in FeedTableTests.quoted(row[1]).subtracting(["familyRevoke"]) {
                #expect(ChangeName(rawValue: name) != nil, "\(name)")
            }
        }
        #expect(Set(NotificationType.allCases.map(\.rawValue)).subtracting(types) == [])
        let subtypes = Set(Subtype.allCases.map(\.rawValue))
        #expect(
            types.subtracting(NotificationType.allCases.map(\.rawValue)).subtracting(subtypes) == []
        )
    }
}
