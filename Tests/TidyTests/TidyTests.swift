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
        "SQLiteStore", "AppStoreAPI", "Intake", "Projection", "Queries", "Reports", "Proofs",
        "AppleSync", "Service", "Console", "Web", "Simulator",
    ])

    /// Which targets each target may import: the arrows of `Architecture.md`.
    static let rooms: [String: Set<String>] = [
        "AppStore": [],
        "Signing": ["COpenSSL", "AppStore"],
        "Ledger": ["AppStore"],
        "LedgerStore": ["AppStore", "Signing", "Ledger"],
        "SQLiteStore": stores.union(["Migrations", "GRDB", "GRDBSQLite"]),
        "PostgresStore": stores.union(["CPostgres", "Migrations"]),
        "AppStoreAPI": [
            "AppStore", "Signing", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL",
        ],
        "Intake": stores,
        "Projection": stores.union(["SQLiteStore", "Intake"]),
        "Queries": stores.union(["SQLiteStore", "Intake", "Projection"]),
        "Reports": stores.union(["CZlib", "SQLiteStore", "Projection", "Queries"]),
        "Proofs": stores.union(["SQLiteStore", "Intake", "Projection", "Queries", "Reports"]),
        "AppleSync": stores.union([
            "SQLiteStore", "AppStoreAPI", "Intake", "Projection", "Queries",
        ]),
        "Service": stores.union([
            "SQLiteStore", "AppStoreAPI", "Intake", "Projection", "Queries", "Reports",
            "Proofs", "AppleSync", "Yams", "ServiceLifecycle",
        ]),
        "Console": stores.union([
            "AppleSync", "Intake", "Projection", "Proofs", "Queries", "Reports", "Service",
        ]),
        "Web": [
            "AppStore", "Signing", "Ledger", "LedgerStore", "Intake", "Projection", "Queries",
            "Reports", "Proofs", "AppleSync", "Service", "Console", "COpenAPI", "Hummingbird",
            "HummingbirdTLS", "HummingbirdCore", "HTTPTypes", "NIOCore", "NIOPosix", "NIOSSL",
            "NIOHTTP1",
            "NIOHTTPTypes", "NIOTLS", "ServiceLifecycle", "UnixSignals", "Logging",
        ],
        "Simulator": stores.union([
            "SQLiteStore", "Intake", "Projection", "Queries", "Hummingbird", "HummingbirdCore",
            "HTTPTypes", "COpenSSL",
            "NIOCore", "ServiceLifecycle", "Logging",
        ]),
        "Bench": products.union([
            "PostgresStore", "PostgresSupport", "GRDB", "GRDBSQLite", "Hummingbird", "Logging",
            "NIOCore", "NIOPosix", "NIOHTTP1", "ServiceLifecycle",
        ]),
        "subledger": products.union([
            "Bench", "PostgresStore", "ArgumentParser", "Logging", "ServiceLifecycle",
            "UnixSignals",
        ]),
    ]

    /// System modules that every target except `Ledger` may use.
    static let system: Set<String> = [
        "Foundation", "Dispatch", "Synchronization", "Glibc", "Musl", "Darwin",
    ]

    struct Source: Sendable {
        let room: String
        let path: String
        let text: String
        let lines: [String]

        init(_ path: String) {
            room = path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
            self.path = path
            text = (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
            lines = text.components(separatedBy: "\n")
        }
    }

    // Every rule goes through them in one test: a case of a test costs more than to check a file.
    static let sources = files(under: "Sources").map { Source($0) }
    static let tests = (files(under: "Tests") + files(under: "Examples")).map { Source($0) }

    private static func files(under folder: String) -> [String] {
        let base = root.appending(path: folder)
        let found = FileManager.default.enumerator(atPath: base.path)?.allObjects ?? []
        return found.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
            .map { "\(folder)/\($0)" }.sorted()
    }

    /// `contains` is generic, which costs much where nothing is optimised.
    private static func holds(_ text: String, _ part: String) -> Bool { strstr(text, part) != nil }

    @Test("every target has its sources")
    func roomsExist() {
        #expect(Set(TidyTests.sources.map(\.room)).isSuperset(of: Set(TidyTests.rooms.keys)))
    }

    /// The modules that a file imports.
    private static func imports(of source: Source) -> [String] {
        source.lines.filter { holds($0, "import ") }.compactMap { line in
            let words = line.split(separator: " ")
            guard let keyword = words.firstIndex(of: "import"), keyword < 2,
                keyword + 1 < words.count
            else { return nil }
            return String(words[keyword + 1])
        }
    }

    @Test("imports follow the allowed dependencies")
    func imports() {
        for source in TidyTests.sources {
            guard let allowed = TidyTests.rooms[source.room] else { continue }
            for module in TidyTests.imports(of: source) {
                if TidyTests.system.contains(module) {
                    let isPure = source.room == "Ledger" || source.room == "AppStore"
                    #expect(!isPure, "\(source.path): \(module)")
                } else {
                    #expect(allowed.contains(module), "\(source.path): \(module)")
                }
            }
        }
    }

    /// The targets from the lowest to the highest. `TemporaryLedger`, with which intake,
    /// projection and queries are tested, opens all three.
    private static let levels: [[String]] = [
        ["AppStore"], ["Signing", "Ledger"], ["LedgerStore", "AppStoreAPI"], ["SQLiteStore"],
        ["Intake", "Projection", "Queries"], ["Reports"], ["Proofs"], ["AppleSync"],
        ["Service"],
        ["Console"], ["Web"],
        ["subledger"],
    ]

    private static func level(_ target: String) -> Int? {
        levels.firstIndex { $0.contains(target) }
    }

    @Test("every target has tests, which import nothing above it")
    func testImports() {
        let supporting = TidyTests.system.union(["AppStore", "Testing"])
        for source in TidyTests.tests {
            let mirrored = source.room.hasSuffix("Tests") ? String(source.room.dropLast(5)) : ""
            let modules = TidyTests.imports(of: source)
            if source.room == "TestSupport" {
                #expect(Set(modules).isSubset(of: supporting), "\(source.path)")
            }
            guard let level = TidyTests.level(mirrored) else { continue }
            for module in modules {
                #expect(TidyTests.level(module) ?? 0 <= level, "\(source.path): \(module)")
            }
        }
    }

    @Test("the test targets mirror the source targets")
    func testTargets() {
        let folders = Set(TidyTests.tests.map(\.room))
        for target in TidyTests.levels.flatMap(\.self) {
            // The commands are tested through the binary.
            let folder = target == "subledger" ? "CommandTests" : target + "Tests"
            #expect(folders.contains(folder), "\(target)")
        }
    }

    @Test("files stay short")
    func fileLength() {
        for source in TidyTests.sources + TidyTests.tests {
            #expect(source.lines.count <= TidyTests.maximumFileLines, "\(source.path)")
        }
    }

    @Test("lines stay short, apart from literals and what cannot be broken")
    func columns() {
        for source in TidyTests.sources + TidyTests.tests { columns(source) }
    }

    private func columns(_ source: Source) {
        let quotes = "\"\"\""
        var isInLiteral = false
        for (number, line) in source.lines.enumerated() {
            let wasInLiteral = isInLiteral
            if TidyTests.holds(line, quotes), line.components(separatedBy: quotes).count % 2 == 0 {
                isInLiteral.toggle()
            }
            guard line.utf8.count > TidyTests.maximumColumns,
                line.count > TidyTests.maximumColumns
            else { continue }
            let text = line.drop { $0 == " " }
            let isOneWord = text.split(separator: " ").count == 2
            let isLiteral = wasInLiteral || text.contains("\"") || text.hasPrefix("/")
            #expect(
                text.hasPrefix("//") ? isOneWord : isLiteral, "\(source.path):\(number + 1)")
        }
    }

    /// The first line of a function, an initializer or a subscript, whatever its modifiers. Made
    /// once in a test: it is compiled when it is first used.
    private static func functionStart() throws -> Regex<AnyRegexOutput> {
        try Regex(
            #"(@\w+(\([^)]*\))? )*([a-z]+(\([a-z]+\))? )*"#
                + #"(func |init[?]?[(<]|subscript[(<]|deinit )"#)
    }

    /// Without one of these a line begins no function; faster than the expression.
    private static let mayBegin = ["func ", "init", "subscript"]

    @Test("the first line of a function is recognized with any modifiers")
    func functionStarts() throws {
        let start = try TidyTests.functionStart()
        for text in [
            "func a() {", "init(", "public init(", "package static func a(", "init?(",
            "private mutating func a<Value>(", "@discardableResult func a(", "deinit {",
            "public private(set) subscript(", "nonisolated func a() {", "convenience init(",
        ] { #expect(text.prefixMatch(of: start) != nil, "\(text)") }
        for text in ["// func a()", "let function = 1", "initialize()", "self.init(a)", "return"] {
            #expect(text.prefixMatch(of: start) == nil, "\(text)")
        }
    }

    @Test("functions stay short")
    func functionLength() throws {
        let first = try TidyTests.functionStart()
        for source in TidyTests.sources + TidyTests.tests { functionLength(source, first) }
    }

    private func functionLength(_ source: Source, _ first: Regex<AnyRegexOutput>) {
        var start: (line: Int, end: String)?
        var hasBody = false
        for (number, line) in source.lines.enumerated() {
            if start == nil {
                guard TidyTests.mayBegin.contains(where: { TidyTests.holds(line, $0) }),
                    line.drop(while: { $0 == " " }).prefixMatch(of: first) != nil,
                    // A body on one line ends there.
                    !(TidyTests.holds(line, "{") && line.last == "}")
                else { continue }
                start = (number, line.prefix { $0 == " " } + "}")
                hasBody = false
            }
            hasBody = hasBody || TidyTests.holds(line, "{")
            // A requirement of a protocol has no body.
            if !hasBody, line.allSatisfy({ $0 == " " }) { start = nil }
            guard let begun = start, line == begun.end || line.hasPrefix("\(begun.end) ")
            else { continue }
            #expect(
                number - begun.line < TidyTests.maximumFunctionLines,
                "\(source.path):\(begun.line + 1)")
            start = nil
        }
    }

    @Test("no file or type has a meaningless name")
    func names() {
        for source in TidyTests.sources { names(source) }
    }

    private func names(_ source: Source) {
        let file = source.path.split(separator: "/").last ?? ""
        for banned in TidyTests.bannedNames {
            #expect(!file.contains(banned), "\(source.path)")
            for line in source.lines where TidyTests.holds(line, banned) {
                for keyword in ["struct ", "class ", "enum ", "protocol ", "actor "] {
                    guard let range = line.range(of: keyword) else { continue }
                    let name = line[range.upperBound...].prefix { $0.isLetter || $0.isNumber }
                    #expect(!name.contains(banned), "\(source.path): \(name)")
                }
            }
        }
    }

    @Test("the pure target walks dictionaries in order, or says why any order will do")
    func unorderedWalks() {
        for source in TidyTests.sources where source.room == "Ledger" {
            for (number, line) in source.lines.enumerated()
            where (TidyTests.holds(line, ".keys") || TidyTests.holds(line, ".values"))
                && line.contains(TidyTests.unorderedWalk)
            {
                if line.contains(".sorted") || line.contains(".enumerated()") { continue }
                let before = number > 0 ? source.lines[number - 1] : ""
                #expect(
                    before.contains("//") && before.contains("order"),
                    "\(source.path):\(number + 1)")
            }
        }
    }

    /// A loop over the keys or values of a dictionary, or a list made of them.
    private static var unorderedWalk: Regex<Substring> {
        /for .* in .*\.(?:keys|values)\b.*|\.(?:keys|values)\.(?:map|flatMap|compactMap|first|prefix|joined|forEach)/
    }

    @Test("the pure target has no clock and no randomness")
    func purity() {
        let banned = [
            "Date()", "Date.now", ".random(", "UUID()", "ContinuousClock", "import Foundation",
        ]
        for source in TidyTests.sources where source.room == "Ledger" {
            for word in banned {
                #expect(!TidyTests.holds(source.text, word), "\(source.path): \(word)")
            }
        }
    }

    @Test("unchecked Sendable has a written reason")
    func uncheckedSendable() {
        let name = "@unchecked Sendable"
        for source in TidyTests.sources where TidyTests.holds(source.text, name) {
            for (number, line) in source.lines.enumerated()
            where line.contains(name) && !line.contains("//") {
                let before = source.lines[max(0, number - 6)..<number]
                #expect(
                    before.contains { $0.contains("//") }, "\(source.path):\(number + 1)")
            }
        }
    }

    @Test("no test starts a process with Foundation, which fails with many open descriptors")
    func processes() {
        // libFuzzer's program is not a test: it has few descriptors, and no access to Child.
        for source in TidyTests.tests where !source.path.hasPrefix("Tests/Fuzz/") {
            for line in source.lines where TidyTests.holds(line, "Process" + "()") {
                Issue.record("\(source.path): \(line)")
            }
        }
    }

    /// Files that compare secrets, each with its constant-time comparison.
    private static let comparing = [
        "AccessTokens.swift": "equalsInConstantTime(",
        "SharedSecret.swift": "equalsInConstantTime(",
        "SealedNotificationV1.swift": ".verifies(",
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
