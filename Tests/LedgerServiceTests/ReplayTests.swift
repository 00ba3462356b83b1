import AppStore
import Ledger
import Projection
import Simulator
import Testing

/// Every story under `Replays/`, told in several ways that must come to the same
/// (`design.md` §7).
@Suite("Replays")
struct ReplayTests {
    /// Each is a way to shuffle the deliveries of every story.
    static let seeds: [UInt64] = [20_261, 20_262]

    @Test(
        "A story says the same in any order, repeated, in pieces and rebuilt",
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

    /// Told as it arrived: what `expected.json` says; and rebuilt from the log: the same.
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

    /// In a wild order, every delivery twice somewhere; the second time nothing is appended.
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

    /// Newest first, one append and one projection after another; what the projections then hold
    /// is what a rebuild from the log would write.
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
