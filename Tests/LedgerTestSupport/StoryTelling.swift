import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import Projection
import Queries
import SQLiteStore
import Simulator
import TestSupport

/// A story played into a scratch ledger in one way, and all its answers.
package struct StoryTelling {
    package let story: Story
    package let scratch: ScratchLedger
    package private(set) var summary: [IngestSummary] = []

    /// The directory of the stories.
    package static let folder = Fixtures.repository.appending(path: "Replays")

    package static let names: [String] = {
        let entries = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (entries ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }()

    package static func story(_ name: String) throws -> Story {
        try Story(path: folder.appending(path: name).path)
    }

    package init(_ story: Story) async throws {
        self.story = story
        scratch = try await ScratchLedger.open(
            environment: story.environment,
            apps: story.bundleIds.map { Configuration.App(bundleId: $0) },
            roots: TestAuthority.roots
        ) { StoryCheck.end }
    }

    package mutating func take(_ lines: [[UInt8]]) async throws {
        summary.append(try await scratch.take(lines, name: story.name))
    }

    package var appended: Int64 { summary.reduce(0) { $0 + $1.appended + $1.conflicts } }
    package var duplicates: Int64 { summary.reduce(0) { $0 + $1.duplicates } }
    package var errors: [IngestError] { summary.flatMap(\.errors) }

    /// Passes a caught-up session to `body`.
    package func session<Value>(_ body: (LedgerSession) async throws -> Value) async throws -> Value
    {
        let session = try await scratch.session()
        defer { try? session.projections.close() }
        return try await body(session)
    }

    // MARK: Answers

    /// All answers of the ledger, with each position replaced by the digest of its payload, which
    /// does not depend on the order of arrival.
    package func answers() async throws -> [String] {
        try await session { try await StoryTelling.answers($0) }
    }

    package static func answers(_ session: LedgerSession) async throws -> [String] {
        let events = try await session.ledger.log.events(after: 0)
        let digests = Dictionary(
            uniqueKeysWithValues: events.map { ($0.position, $0.payloadHash.hexadecimal) })
        var found: [String] = []
        var cursor: ChainCursor?
        let end = Moment(at: StoryCheck.end, now: StoryCheck.end)
        while let reading = try await session.snapshot.next(after: &cursor, moment: end) {
            let timeline = try TemporaryLedger.json { reading.writeTimeline(to: &$0) }
            found.append(text(timeline, digests))
            found += try await answers(
                reading.chain.originalTransactionId.rawValue, session, digests,
                at: moments(reading))
        }
        return found
    }

    /// The states at the ends and in the middle of every interval.
    private static func answers(
        _ id: String, _ session: LedgerSession, _ digests: [Int64: String], at: [Timestamp]
    ) async throws -> [String] {
        var found: [String] = []
        for moment in at {
            let reading = try await session.snapshot.reading(
                id, moment: Moment(at: moment, now: StoryCheck.end))
            found.append(
                text(try TemporaryLedger.json { reading.write(to: &$0) }, digests))
        }
        return found
    }

    private static func moments(_ reading: ChainReading) -> [Timestamp] {
        let facts = reading.timelineEvents.map(\.at)
        let edges = reading.intervals.flatMap { interval in
            [interval.from, interval.to?.advanced(byMilliseconds: -1)].compactMap { $0 }
        }
        guard let start = reading.intervals.first?.from else { return [] }
        return Set(edges + facts).filter { $0 >= start }.sorted()
    }

    private static func text(_ value: JSONValue, _ digests: [Int64: String]) -> String {
        String(decoding: placeless(value, digests, key: "").encoded(), as: UTF8.self)
    }

    /// Without the position of the answer; other positions by their payloads.
    private static func placeless(
        _ value: JSONValue, _ digests: [Int64: String], key: String
    ) -> JSONValue {
        switch value {
        case .object(let members):
            let isAnswer = members.contains { $0.key == "catalogueHash" }
            return .object(
                members.filter { !isAnswer || $0.key != "position" }.map {
                    JSONMember(key: $0.key, value: placeless($0.value, digests, key: $0.key))
                })
        case .array(let elements) where key == "evidence" || key == "events":
            let found = elements.compactMap(\.int64).map { digests[$0] ?? "nothing at \($0)" }
            return .array(found.sorted().map { .string($0) })
        case .array(let elements):
            return .array(elements.map { placeless($0, digests, key: key) })
        case .number where key == "position":
            return .string(value.int64.flatMap { digests[$0] } ?? "nothing")
        default: return value
        }
    }
}
