import Foundation
import TestSupport
import Testing

/// `Docs/Commands.md`, and the commands in other pages, compared with `--help`.
@Suite("The page of commands")
struct CommandPageTests {
    /// What ArgumentParser prints for `--experimental-dump-help`, as far as it is compared.
    private struct Help: Decodable {
        let command: Command

        struct Command: Decodable {
            let commandName: String
            let arguments: [Argument]?
            let subcommands: [Command]?
        }

        struct Argument: Decodable {
            let names: [Name]?
        }

        struct Name: Decodable {
            let kind: String
            let name: String
        }
    }

    /// The long options of each command, by its whole name without `subledger`.
    private static func commands() async throws -> [String: Set<String>] {
        try await dumped.value
    }

    /// Printed once for all tests.
    private static let dumped = Task { try await readHelp() }

    private static func readHelp() async throws -> [String: Set<String>] {
        let place = try Workplace(options: [])
        let dumped = try await place.run(["--experimental-dump-help"])
        let help = try JSONDecoder().decode(Help.self, from: Data(dumped.out.utf8))
        var found: [String: Set<String>] = [:]
        func walk(_ command: Help.Command, _ parents: [String]) {
            let names = command.arguments?.flatMap { $0.names ?? [] } ?? []
            let long = names.filter { $0.kind == "long" }.map { "--\($0.name)" }
            found[parents.joined(separator: " ")] = Set(long).subtracting(["--help", "--version"])
            for child in command.subcommands ?? [] { walk(child, parents + [child.commandName]) }
        }
        walk(help.command, [])
        return found
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Fixtures.repository.appending(path: path), encoding: .utf8)
    }

    private static func options(in text: some StringProtocol) -> Set<String> {
        let words = String(text).matches(of: /(?:^|[^\w-])(--[a-z][a-z-]*)/)
        return Set(words.map { String($0.1) }).subtracting(["--help", "--version"])
    }

    /// The sections of a page by their headings of the third level.
    private static func sections(_ text: String) -> [String: String] {
        var sections: [String: String] = [:]
        var heading: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#"), line.drop(while: { $0 == "#" }).first == " " {
                heading = line.hasPrefix("### ") ? String(line.dropFirst(4)) : nil
                if let heading { sections[heading] = "" }
            } else if let heading {
                sections[heading, default: ""] += "\(line)\n"
            }
        }
        return sections
    }

    /// The groups of options that sections link to, by their anchors.
    private static func groups(_ sections: [String: String]) -> [String: Set<String>] {
        var groups: [String: Set<String>] = [:]
        for (heading, text) in sections where heading.hasPrefix("Options ") {
            let anchor = heading.lowercased().replacing(" ", with: "-")
            groups[anchor] = options(in: text)
        }
        return groups
    }

    @Test("Every command and every option of --help stands in Docs/Commands.md, and no other one")
    func page() async throws {
        let commands = try await CommandPageTests.commands()
        #expect(commands.count > 50)
        let sections = CommandPageTests.sections(try CommandPageTests.text("Docs/Commands.md"))
        let groups = CommandPageTests.groups(sections)
        let shared = try #require(groups["options-of-every-command"])
        let named = sections.keys.filter { !$0.hasPrefix("Options ") }
        #expect(named.sorted() == commands.keys.filter { !$0.isEmpty }.sorted())
        for (name, options) in commands.sorted(by: { $0.key < $1.key }) where !name.isEmpty {
            let section = sections[name] ?? ""
            var documented = CommandPageTests.options(in: section)
            for link in section.matches(of: /\(#(options-[a-z-]+)\)/) {
                documented.formUnion(try #require(groups[String(link.1)], "\(name): \(link.1)"))
            }
            if options.contains("--config") { documented.formUnion(shared) }
            #expect(
                documented == options,
                "\(name): \(documented.symmetricDifference(options).sorted())")
        }
    }

    /// Every page of the repository.
    static let pages: [String] = {
        let found = ["Docs", "Sources"].flatMap { folder -> [String] in
            let path = Fixtures.repository.appending(path: folder).path
            let names = FileManager.default.enumerator(atPath: path)?.allObjects ?? []
            return names.compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }
                .map { "\(folder)/\($0)" }
        }
        return ["README.md", "CONTRIBUTING.md", "BENCHMARKS.md"] + found.sorted()
    }()

    @Test("Commands in the examples of a page exist, with their options", arguments: pages)
    func examples(_ path: String) async throws {
        let commands = try await CommandPageTests.commands()
        for line in CommandPageTests.examples(in: try CommandPageTests.text(path)) {
            let words = line.split(separator: " ").dropFirst().map(String.init)
            let name = [2, 1].lazy.map { words.prefix($0).joined(separator: " ") }
                .first { commands[$0] != nil }
            // `metrics NAME` is short for `metrics report NAME`.
            let whole = name == "metrics" ? "metrics report" : name
            let options = try #require(whole.flatMap { commands[$0] }, "\(path): \(line)")
            let unknown = CommandPageTests.options(in: line).subtracting(options)
            #expect(unknown.isEmpty, "\(path): \(line): \(unknown.sorted())")
        }
    }

    /// The commands in a page's code blocks: whole, without their comments and what they are piped
    /// into.
    private static func examples(in text: String) -> [String] {
        var isCode = false
        var lines: [String] = []
        for line in text.replacing("\\\n", with: " ").split(separator: "\n") {
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isCode.toggle()
            } else if isCode,
                let found = line.firstMatch(of: /^\s*(?:\$ )?(subledger [^\s#|>][^#|>]*)/)
            {
                lines.append(String(found.1))
            }
        }
        return lines
    }
}
