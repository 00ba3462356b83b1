import Foundation
import Testing

/// The error codes of `Contract.md`, compared with the sources.
@Suite("Error codes of the contract")
struct ContractCodeTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The files of errors that only other errors quote, in their messages.
    private static let quotedErrors: Set<String> = [
        "AppStore/JSON/JSONError.swift", "AppStore/Receipts/AppReceiptError.swift",
        "AppStore/Receipts/BERElement.swift", "Signing/CertificateChain/TrustedRootError.swift",
        "Signing/Keys/SigningError.swift",
    ]

    /// Further pages that list the codes of a file.
    private static let pages = [
        "AppStore/SalesReports/SalesReport.swift": "Reports/Reports.docc/AppStoreConnect.md",
        "AppleSync/TestNotification/TestNotificationDiagnosis.swift":
            "AppleSync/AppleSync.docc/Asking.md",
        "Service/Host/ServingError.swift": "Web/Web.docc/Service.md",
    ]

    /// The codes that no test can cause.
    private static let uncaused: Set<String> = [
        // OpenSSL refuses to sign with a key of the right curve, say because memory is exhausted.
        "signingFailed"
    ]

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The Swift files below a folder, by their paths in it.
    private static func sources(_ folder: String) throws -> [(path: String, text: String)] {
        let found = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        let names = (found?.allObjects ?? []).compactMap { $0 as? String }
        return try names.filter { $0.hasSuffix(".swift") }.map {
            ($0, try text("\(folder)/\($0)"))
        }
    }

    /// Those of the library and the commands, read once.
    private static let librarySources = Result { try sources("Sources") }

    private static func contract() throws -> String {
        try text("Sources/Queries/Queries.docc/Contract.md")
    }

    /// The codes that the contract lists.
    private static func listed() throws -> Set<String> {
        let page = try contract()
        let heading = try #require(page.range(of: "## Error codes"))
        return marked(String(page[heading.upperBound...]))
    }

    private static func marked(_ text: String) -> Set<String> {
        Set(text.matches(of: /`([a-z][A-Za-z]*)`/).map { String($0.1) })
    }

    private static func quoted(_ text: String) -> Set<String> {
        Set(text.matches(of: /"([a-z][A-Za-z]*)"/).map { String($0.1) })
    }

    /// The cases without values that a text declares.
    private static func cases(_ text: String) -> Set<String> {
        var names: Set<String> = []
        for line in text.split(separator: "\n") where line.contains("case ") {
            let words = line.split { $0 == " " || $0 == "," }.map(String.init)
            guard words.first == "case" else { continue }
            names.formUnion(words.dropFirst().filter { $0.allSatisfy(\.isLetter) })
        }
        return names
    }

    /// What an error's `enum Code`, or its property `code`, has.
    private static func codes(_ source: String) -> Set<String> {
        guard strstr(source, "Code: String") != nil || strstr(source, "code: String") != nil else {
            return []
        }
        let lines = source.split(separator: "\n")
        var codes: Set<String> = []
        for (index, line) in lines.enumerated() {
            let isEnum = line.contains("enum Code: String")
            guard isEnum || line.contains("var code: String {") else { continue }
            let end = String(line.prefix { $0 == " " }) + "}"
            let body = lines[(index + 1)...].prefix { $0 != end }.joined(separator: "\n")
            codes.formUnion(isEnum ? cases(body) : quoted(body))
        }
        return codes
    }

    @Test("every code of an error or a finding stands in the contract, or in a page of its own")
    func typed() throws {
        // `store` stands for the code of a `StoreError`.
        let known = ContractCodeTests.marked(try ContractCodeTests.contract()).union(["store"])
        var fileCount = 0
        for (path, source) in try ContractCodeTests.librarySources.get()
        where !ContractCodeTests.quotedErrors.contains(path) {
            let codes = ContractCodeTests.codes(source)
            if !codes.isEmpty { fileCount += 1 }
            let page = try ContractCodeTests.pages[path].map {
                ContractCodeTests.marked(try ContractCodeTests.text("Sources/\($0)"))
            }
            let missing = codes.subtracting(known).subtracting(page ?? [])
            #expect(missing.isEmpty, "\(path): \(missing.sorted())")
        }
        #expect(fileCount >= 20)
    }

    @Test("every code that a command states stands in the contract")
    func stated() throws {
        var codes: Set<String> = []
        for (_, source) in try ContractCodeTests.sources("Sources/subledger")
        where strstr(source, "CommandFailure") != nil || strstr(source, "self.init(") != nil {
            for match in source.matches(of: /CommandFailure\(\s*(?:code:\s*)?"([A-Za-z]+)"/) {
                codes.insert(String(match.1))
            }
            for match in source.matches(of: /self\.init\(\s*"([A-Za-z]+)"/) {
                codes.insert(String(match.1))
            }
        }
        #expect(codes.count > 20)
        let missing = codes.subtracting(ContractCodeTests.marked(try ContractCodeTests.contract()))
        #expect(missing.isEmpty, "\(missing.sorted())")
    }

    @Test("every code of the contract is in the sources")
    func known() throws {
        var unknown = try ContractCodeTests.listed()
        #expect(unknown.count > 100)
        for (_, source) in try ContractCodeTests.librarySources.get() {
            unknown.subtract(ContractCodeTests.cases(source))
            unknown = unknown.filter { strstr(source, "\"\($0)\"") == nil }
        }
        #expect(unknown.isEmpty, "\(unknown.sorted())")
    }

    /// Whether a text has a code as a string or as a case.
    private static func names(_ code: String, in source: String) -> Bool {
        if strstr(source, "\"\(code)\"") != nil { return true }
        guard strstr(source, ".\(code)") != nil else { return false }
        return source.ranges(of: ".\(code)").contains { range in
            let rest = source[range.upperBound...]
            return rest.first.map { !$0.isLetter } ?? true
        }
    }

    @Test("every code of the contract is named by a test, unless none can cause it")
    func tested() throws {
        var untested = try ContractCodeTests.listed()
        for (path, source) in try ContractCodeTests.sources("Tests")
        where !path.hasSuffix("/ContractCodeTests.swift") {
            untested = untested.filter { !ContractCodeTests.names($0, in: source) }
        }
        let missing = untested.subtracting(ContractCodeTests.uncaused)
        #expect(missing.isEmpty, "\(missing.sorted())")
        let caused = ContractCodeTests.uncaused.subtracting(untested)
        #expect(caused.isEmpty, "\(caused.sorted())")
    }
}
