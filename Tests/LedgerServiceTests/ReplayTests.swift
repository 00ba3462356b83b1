import AppStore
import Ledger
import Projection
import Simulator
import Testing

/// Every story under `Replays/`, played in several ways that must give the same result (`design.md`
/// §7).
@Suite("Replays")
struct ReplayTests {
    /// Each is a seed to shuffle the deliveries of every story.
    static let seeds: [UInt64] = [20_261, 20_262]

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
            try await inPieces(story, lines, expected)
        }
    }

    /// In order of arrival it gives `expected.json`; rebuilt from the log, the same.
    private func inOrder(_ story: Story, _ lines: [[UInt8]]) async throws -> [String] {
        var telling = try await StoryTelling(story)
        try await telling.take(lines)
        #expect(telling.errors.isEmpty, "refused: \(telling.errors)")
        #expect(telling.appended + telling.duplicates == Int64(lines.count))
        let check = try StoryCheck(expected: try #require(story.expected))
        let answers = try await telling.session { session in
            let differences = try await check.differences(session)
            #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
            let answers = try await StoryTelling.answers(session)
            let projector = try #require(session.projector)
            try await projector.rebuild(fromLog: true)
            return answers
        }
        #expect(try await telling.answers() == answers, "rebuilt from the log")
        await telling.scratch.remove()
        return answers
    }

    /// Shuffled, every delivery repeated somewhere; the second time nothing is appended.
    private func shuffled(
        _ story: Story, _ lines: [[UInt8]], seed: UInt64, _ expected: [String]
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        var order = lines + lines
        generator.shuffle(&order)
        var telling = try await StoryTelling(story)
        try await telling.take(order)
        #expect(telling.errors.isEmpty, "seed \(seed)")
        #expect(telling.duplicates >= Int64(lines.count), "seed \(seed)")
        #expect(try await telling.answers() == expected, "seed \(seed)")
        await telling.scratch.remove()
    }

    /// Newest first, each event appended and projected separately; the projections then equal those
    /// of a rebuild from the log.
    private func inPieces(
        _ story: Story, _ lines: [[UInt8]], _ expected: [String]
    ) async throws {
        var telling = try await StoryTelling(story)
        for line in lines.reversed() {
            try await telling.take([line])
            try await telling.session { #expect($0.head >= 1) }
        }
        #expect(try await telling.answers() == expected, "in pieces")
        try await telling.session { session in
            let found = try await RebuildCheck(try #require(session.projector)).run()
            #expect(found.count == 0, "\(found.differences)")
        }
        await telling.scratch.remove()
    }
}
