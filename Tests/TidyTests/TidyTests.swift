import Foundation
import Testing

/// The house rules that a machine can check (`CONTRIBUTING.md`, Rules).
@Suite("Tidy")
struct TidyTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let maximumFileLines = 400
    static let maximumFunctionLines = 70
    static let maximumColumns = 100
    static let bannedNames = ["Manager", "Helper", "Utils", "Common"]

    private static let stores: Set<String> = ["AppStore", "Signing", "Ledger", "LedgerStore"]
    private static let products = stores.union([
        "SQLiteStore", "AppStoreAPI", "Intake", "Projection", "Queries", "Reports", "AppleSync",
        "Service", "Web", "Simulator",
    ])

    /// Which targets each target may import: the arrows of `Architecture.md`.
    static let rooms: [String: Set<String>] = [
        "AppStore": [],
        "Signing": ["COpenSSL", "AppStore"],
        "Ledger": ["AppStore"],
        "LedgerStore": ["AppStore", "Signing", "Ledger"],
        "SQLiteStore": stores.union(["Migrations", "GRDB", "GRDBSQLite"]),
        "AppStoreAPI": [
            "AppStore", "Signing", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL",
        ],
        "Intake": stores,
        "Projection": stores.union(["SQLiteStore", "Intake"]),
        "Queries": stores.union(["SQLiteStore", "Intake", "Projection"]),
        "Reports": stores.union(["SQLiteStore", "Projection", "Queries"]),
        "AppleSync": stores.union([
            "SQLiteStore", "AppStoreAPI", "Intake", "Projection", "Queries",
        ]),
        "Service": stores.union([
            "SQLiteStore", "AppStoreAPI", "Intake", "Projection", "Queries", "Reports",
            "AppleSync", "Yams", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "ServiceLifecycle",
        ]),
        "Web": [
            "AppStore", "Ledger", "LedgerStore", "Intake", "Projection", "Queries", "Reports",
            "AppleSync", "Service", "OpenAPI", "Hummingbird", "HummingbirdTLS", "HummingbirdHTTP2",
            "HummingbirdCore", "HTTPTypes", "NIOCore", "NIOPosix", "NIOSSL", "NIOHTTP1",
            "NIOHTTPTypes", "NIOTLS", "ServiceLifecycle", "UnixSignals", "Logging", "CoreMetrics",
            "NIOHTTP2", "NIOHTTPTypesHTTP2",
        ],
        "Simulator": stores.union([
            "SQLiteStore", "Intake", "Projection", "Queries", "Hummingbird", "HummingbirdCore",
            "HTTPTypes",
            "NIOCore", "ServiceLifecycle", "Logging",
        ]),
        "Bench": products.union([
            "Hummingbird", "Logging", "NIOCore", "NIOPosix", "NIOHTTP1", "ServiceLifecycle",
        ]),
        "subledger": products.union([
            "Bench", "ArgumentParser", "Logging", "ServiceLifecycle", "UnixSignals",
        ]),
    ]

    /// System modules that every target except `Ledger` may use.
    static let system: Set<String> = [
        "Foundation", "Dispatch", "Synchronization", "Glibc", "Musl", "Darwin",
    ]

    struct Source: Sendable, CustomTestStringConvertible {
        let room: String
        let path: String
        let lines: [String]

        var testDescription: String { path }
    }

    static let sources: [Source] = files(under: "Sources").map { path in
        Source(
            room: path.split(separator: "/").dropFirst().first.map(String.init) ?? "",
            path: path, lines: lines(path))
    }

    static let tests: [Source] = files(under: "Tests").map { path in
        Source(room: "", path: path, lines: lines(path))
    }

    private static func files(under folder: String) -> [String] {
        let base = root.appending(path: folder)
        let found = FileManager.default.enumerator(atPath: base.path)?.allObjects ?? []
        return found.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
            .map { "\(folder)/\($0)" }.sorted()
    }

    private static func lines(_ path: String) -> [String] {
        let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
        return (text ?? "").components(separatedBy: "\n")
    }

    @Test("every target has its sources")
    func roomsExist() {
        #expect(Set(TidyTests.sources.map(\.room)).isSuperset(of: Set(TidyTests.rooms.keys)))
    }

    @Test("imports follow the allowed dependencies", arguments: sources)
    func imports(_ source: Source) {
        guard let allowed = TidyTests.rooms[source.room] else { return }
        for line in source.lines where line.contains("import ") {
            let words = line.split(separator: " ")
            guard let keyword = words.firstIndex(of: "import"), keyword < 2,
                keyword + 1 < words.count
            else { continue }
            let module = String(words[keyword + 1])
            if TidyTests.system.contains(module) {
                #expect(source.room != "Ledger" && source.room != "AppStore", "\(line)")
            } else {
                #expect(allowed.contains(module), "\(source.path): \(line)")
            }
        }
    }

    @Test("files stay short", arguments: sources + tests)
    func fileLength(_ source: Source) {
        #expect(source.lines.count <= TidyTests.maximumFileLines)
    }

    @Test("functions stay short", arguments: sources + tests)
    func functionLength(_ source: Source) {
        var start: (line: Int, indent: Int)?
        var hasBody = false
        for (number, line) in source.lines.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indent)
            if start == nil, text.contains("func ") || text.hasPrefix("init"),
                !text.hasPrefix("//")
            {
                start = (number, indent)
                hasBody = false
            }
            hasBody = hasBody || text.contains("{")
            // A requirement of a protocol has no body.
            if text.isEmpty, !hasBody { start = nil }
            guard let begun = start, text == "}" || text.hasPrefix("} "), indent == begun.indent
            else { continue }
            #expect(
                number - begun.line < TidyTests.maximumFunctionLines,
                "\(source.path):\(begun.line + 1)")
            start = nil
        }
    }

    @Test("no file or type has a meaningless name", arguments: sources)
    func names(_ source: Source) {
        for banned in TidyTests.bannedNames {
            let file = source.path.split(separator: "/").last ?? ""
            #expect(!file.contains(banned), "\(source.path)")
            for line in source.lines {
                for keyword in ["struct ", "class ", "enum ", "protocol ", "actor "] {
                    guard let range = line.range(of: keyword) else { continue }
                    let name = line[range.upperBound...].prefix { $0.isLetter || $0.isNumber }
                    #expect(!name.contains(banned), "\(source.path): \(name)")
                }
            }
        }
    }

    @Test("the pure target has no clock, no randomness and no unordered iteration")
    func purity() {
        let banned = [
            "Date()", "Date.now", ".random(", "UUID()", "ContinuousClock", "import Foundation",
        ]
        for source in TidyTests.sources where source.room == "Ledger" {
            for line in source.lines {
                for word in banned { #expect(!line.contains(word), "\(source.path): \(line)") }
            }
        }
    }

    @Test("unchecked Sendable has a written reason", arguments: sources)
    func uncheckedSendable(_ source: Source) {
        for (number, line) in source.lines.enumerated()
        where line.contains("@unchecked Sendable") && !line.contains("//") {
            let before = source.lines[max(0, number - 6)..<number]
            #expect(
                before.contains { $0.contains("//") }, "\(source.path):\(number + 1)")
        }
    }

    @Test("no test starts a process with Foundation, which fails with many open descriptors")
    func processes() {
        // libFuzzer's program is not a test: it has few descriptors, and no access to Child.
        for source in TidyTests.tests where !source.path.hasPrefix("Tests/Fuzz/") {
            for line in source.lines where line.contains("Process" + "()") {
                Issue.record("\(source.path): \(line)")
            }
        }
    }

    /// Files that compare secrets, each with its constant-time comparison.
    private static let comparing = [
        "AccessTokens.swift": "equalsInConstantTime(",
        "SharedSecret.swift": "equalsInConstantTime(",
        "SealedNotificationV1.swift": ".made(",
    ]

    @Test("secrets are compared in constant time, and in no other way")
    func constantTime() throws {
        for (name, call) in TidyTests.comparing.sorted(by: { $0.key < $1.key }) {
            let source = try #require(
                TidyTests.sources.first { $0.path.hasSuffix("/\(name)") }, "\(name) is gone")
            #expect(source.lines.contains { $0.contains(call) }, "\(source.path)")
            for line in source.lines {
                for other in ["==", "!=", "elementsEqual"] {
                    #expect(!line.contains(other), "\(source.path): \(line)")
                }
            }
        }
    }
}
