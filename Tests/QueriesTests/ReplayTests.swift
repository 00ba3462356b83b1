import AppStore
import Ledger
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Simulator
import TestSupport
import Testing

/// Every story under `Replays/`, played in several ways that must give the same result (`Log.md`
/// §7).
@Suite("Replays")
struct ReplayTests {
    /// Each is a seed to shuffle the deliveries of every story; the second one in soak only.
    static let seeds: [UInt64] = Array([20_261, 20_262].prefix(Soak.count(1, soak: 2)))

    /// One in six stories is played in pieces; all of them in soak.
    private static func isPlayedInPieces(_ name: String) -> Bool {
        Soak.isOn || StoryTelling.names.firstIndex(of: name)?.isMultiple(of: 6) == true
    }

    @Test(
        "A story gives the same result in any order, repeated, in pieces and rebuilt",
        arguments: StoryTelling.names)
    func story(_ name: String) async throws {
        let story = try StoryTelling.story(name)
        let lines = try story.deliveries.map { try $0.line(signedBy: TestAuthority.shared) }
        try await Gate.ledgers.pass {
            let expected = try await inOrder(story, lines)
            #expect(!expected.isEmpty || story.bundleIds.isEmpty)
            for seed in ReplayTests.seeds {
                try await shuffled(story, lines, seed: seed, expected)
            }
            if ReplayTests.isPlayedInPieces(name) { try await inPieces(story, lines, expected) }
        }
    }

    @Test("Expectations without a list or a chain, or with another reason, are a difference")
    func incompleteExpectations() async throws {
        let story = try StoryTelling.story("plain-month-and-three-renewals")
        let text = String(decoding: try #require(story.expected), as: UTF8.self)
        let lines = try story.deliveries.map { try $0.line(signedBy: TestAuthority.shared) }
        let keys = [
            "intervals", "transitions", "facts", "notices", "answers", "reason", "chains",
            "unexpected chain",
        ]
        try await Gate.ledgers.pass {
            var reporting = try await StoryTelling(story)
            try await reporting.take(lines)
            for key in keys {
                let changed = changed(text, key)
                #expect(changed != text)
                let check = try StoryCheck(expected: Array(changed.utf8))
                let differences = try await reporting.session { try await check.differences($0) }
                #expect(differences.contains { $0.contains(key) }, "\(key): \(differences)")
            }
            await reporting.scratch.remove()
        }
    }

    /// Expectations that lack something, or state something else.
    private func changed(_ text: String, _ key: String) -> String {
        switch key {
        case "reason": text.replacing(#""reason": "unconfirmed""#, with: #""reason": "billing""#)
        case "chains": #"{"customers":{}}"#
        case "unexpected chain": #"{"chains":{}}"#
        default: text.replacing("\"\(key)\":", with: "\"_\(key)\":")
        }
    }

    /// In order of arrival it gives `expected.json`; rebuilt from the log, the same.
    private func inOrder(_ story: Story, _ lines: [[UInt8]]) async throws -> [String] {
        var reporting = try await StoryTelling(story)
        try await reporting.take(lines)
        #expect(reporting.errors.isEmpty, "refused: \(reporting.errors)")
        #expect(reporting.appended + reporting.duplicates == Int64(lines.count))
        let check = try StoryCheck(expected: try #require(story.expected))
        let answers = try await reporting.session { session in
            let differences = try await check.differences(session)
            #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
            try await erased(session.ledger)
            let answers = try await StoryTelling.answers(session)
            let projector = try #require(session.projector)
            try await projector.rebuild(fromLog: true)
            return answers
        }
        #expect(try await reporting.answers() == answers, "rebuilt from the log")
        await reporting.scratch.remove()
        return answers
    }

    /// Under random ids, as after an erasure, every chain has the same states.
    private func erased(_ ledger: EnvironmentLedger) async throws {
        for (chain, facts) in try await ledger.facts.page(after: nil) {
            let pseudonyms = Pseudonyms(facts.map { (chain, $0) }) { count in
                (0..<count).map { "\(100_000 + $0)" }
            }
            let others = facts.compactMap { pseudonyms.replace(chain, $0, part: 0)?.fact }
            let states = [facts, others].map { facts in
                ledger.life(of: facts).intervals.map { "\($0.state) \($0.from) \($0.to as Any)" }
            }
            #expect(states[0] == states[1])
        }
    }

    /// Shuffled, every delivery repeated somewhere; the second time nothing is appended.
    private func shuffled(
        _ story: Story, _ lines: [[UInt8]], seed: UInt64, _ expected: [String]
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        var order = lines + lines
        order.shuffle(using: &generator)
        var reporting = try await StoryTelling(story)
        try await reporting.take(order)
        #expect(reporting.errors.isEmpty, "seed \(seed)")
        #expect(reporting.duplicates >= Int64(lines.count), "seed \(seed)")
        #expect(try await reporting.answers() == expected, "seed \(seed)")
        await reporting.scratch.remove()
    }

    /// Newest first, each event appended and projected separately; the projections then equal those
    /// of a rebuild from the log.
    private func inPieces(
        _ story: Story, _ lines: [[UInt8]], _ expected: [String]
    ) async throws {
        var reporting = try await StoryTelling(story)
        for line in lines.reversed() {
            try await reporting.take([line])
            try await reporting.session { #expect($0.head >= 1) }
        }
        #expect(try await reporting.answers() == expected, "in pieces")
        try await reporting.session { session in
            let found = try await RebuildCheck(try #require(session.projector)).run()
            #expect(found.count == 0, "\(found.differences)")
        }
        await reporting.scratch.remove()
    }
}
