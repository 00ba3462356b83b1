import Foundation
import Testing

/// The error codes of `Contract.md`, compared with the sources.
@Suite("Error codes of the contract")
struct ContractCodeTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The files of errors that commands print with their codes (`CommandFailure+errors.swift`),
    /// and of findings.
    static let errors = [
        "AppStoreAPI/Errors/APIFailure", "AppStoreAPI/Signatures/SignatureError",
        "AppleSync/Backfill/InputProblem", "AppleSync/Recovery/RecoveryFailure",
        "Intake/Configuration/ConfigurationError",
        "LedgerStore/Audit/LogFinding", "LedgerStore/StoreError", "Proofs/ProofError",
        "Queries/Customers/CommandError", "Queries/Customers/EligibilityAnswer",
        "Queries/Erasure/ErasurePlan", "Queries/Subscriptions/ChainReading",
        "Reports/Metrics/MetricsError", "SQLiteStore/Backup/BackupError",
        "Service/Operation/OperatorError", "Web/Running/WebServiceError",
    ]

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The Swift files below a folder.
    private static func sources(_ folder: String) throws -> [String] {
        let found = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        let names = (found?.allObjects ?? []).compactMap { $0 as? String }
        return try names.filter { $0.hasSuffix(".swift") }.map { try text("\(folder)/\($0)") }
    }

    private static func contract() throws -> String {
        try text("Sources/Queries/Queries.docc/Contract.md")
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

    @Test("every code of an error stands in the contract", arguments: errors)
    func typed(_ file: String) throws {
        let codes = ContractCodeTests.codes(try ContractCodeTests.text("Sources/\(file).swift"))
        #expect(!codes.isEmpty)
        // `store` stands for the code of a `StoreError`.
        let missing = codes.subtracting(ContractCodeTests.marked(try ContractCodeTests.contract()))
            .subtracting(["store"])
        #expect(missing.isEmpty, "\(missing.sorted())")
    }

    @Test("every code that a command states stands in the contract")
    func stated() throws {
        var codes: Set<String> = []
        for source in try ContractCodeTests.sources("Sources/subledger") {
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
        let page = try ContractCodeTests.contract()
        let heading = try #require(page.range(of: "## Error codes"))
        let listed = ContractCodeTests.marked(String(page[heading.upperBound...]))
        #expect(listed.count > 100)
        var unknown = listed
        for source in try ContractCodeTests.sources("Sources") {
            unknown.subtract(ContractCodeTests.cases(source))
            unknown = unknown.filter { strstr(source, "\"\($0)\"") == nil }
        }
        #expect(unknown.isEmpty, "\(unknown.sorted())")
    }
}
