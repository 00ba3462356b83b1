import ArgumentParser
import Testing

@testable import subledger

@Suite("Numbers on the command line")
struct PlainNumberTests {
    static let places = [
        ["show", "1", "--known-position", "N"],
        ["metrics", "diff", "--known-position", "N"],
        ["export", "events", "--after", "N"],
        ["warehouse", "facts", "--after", "N"],
        ["warehouse", "facts", "--through", "N"],
        ["webhooks", "redeliver", "--from", "N", "--to", "9"],
        ["webhooks", "redeliver", "--from", "1", "--to", "N"],
        ["reconcile", "--limit", "N"],
        ["reconcile", "--requests", "N"],
        ["quarantine", "show", "N"],
    ]

    @Test("Every number has one spelling, as over HTTP", arguments: PlainNumberTests.places)
    func spellings(words: [String]) {
        for number in ["+5", "05", "-0", "9223372036854775808"] {
            let command = words.map { $0 == "N" ? number : $0 }
            // A word that begins with a minus is an option unless it is joined to its own.
            let error = #expect(throws: (any Error).self, "\(command)") {
                try Subledger.parseAsRoot(
                    number.hasPrefix("-") ? PlainNumberTests.tied(command, number) : command)
            }
            guard let error else { continue }
            #expect(Subledger.exitCode(for: error) == .validationFailure)
            #expect(Subledger.message(for: error).contains("invalid for"), "\(command)")
        }
        do { _ = try Subledger.parseAsRoot(words.map { $0 == "N" ? "5" : $0 }) } catch {
            let message = Subledger.message(for: error)
            #expect(!message.contains("invalid for"), "\(message)")
        }
    }

    private static func tied(_ command: [String], _ number: String) -> [String] {
        guard let index = command.firstIndex(of: number), command[index - 1].hasPrefix("--") else {
            return command.dropLast() + ["--", number]
        }
        var tied = command
        tied[index - 1] += "=\(number)"
        tied.remove(at: index)
        return tied
    }
}
