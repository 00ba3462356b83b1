import Foundation
import Testing

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
    func spellings(words: [String]) async throws {
        let place = try Workplace()
        for number in ["+5", "05", "-0", "9223372036854775808"] {
            let command = words.map { $0 == "N" ? number : $0 }
            // A word that begins with a minus is an option unless it is joined to its own.
            let answer = try await place.run(
                number.hasPrefix("-") ? PlainNumberTests.tied(command, number) : command)
            #expect(answer.code == 64, "\(command): \(answer.code)")
            #expect(answer.out.isEmpty)
            #expect(answer.err.contains("invalid for"), "\(command): \(answer.err)")
        }
        let plain = try await place.run(words.map { $0 == "N" ? "5" : $0 } + ["--data", "data"])
        #expect(!plain.err.contains("invalid for"), "\(plain.err)")
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
