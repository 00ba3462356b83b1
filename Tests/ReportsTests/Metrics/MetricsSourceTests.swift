import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Queries
import SQLiteStore
import Simulator
import TestSupport
import Testing

@testable import Projection
@testable import Reports

/// Stored sums, stored contributions and facts give the same answers to every query.
@Suite("All sources of a roll-forward give the same rows")
struct MetricsSourceTests {
    private static let pieceCount = 4
    private static let zones = ["UTC", "America/St_Johns", "America/Sao_Paulo", "Pacific/Apia"]

    private static let seed: UInt64 = 5
    /// Signed once for all zones.
    private static let lines: Result<[[UInt8]], any Error> = Result {
        try MetricsWorld.lines(1...24, seed: seed)
    }

    @Test(
        "For worlds in any order of arrival, in zones with and without daylight saving",
        arguments: zones)
    func world(_ zone: String) async throws {
        var chance = SeededGenerator(seed: MetricsSourceTests.seed)
        let world = try MetricsWorld(MetricsSourceTests.lines.get(), reportTimeZone: zone)
        var sources: [MovementSource: Int] = [:]
        for piece in 0..<MetricsSourceTests.pieceCount {
            try await world.take(piece, of: MetricsSourceTests.pieceCount)
            var questions: [MetricsQuestion] = []
            for _ in 0..<12 {
                questions.append(
                    try MetricsQuestion(&chance, zones: [zone, zone, "Asia/Kolkata"]))
            }
            for source in try await compare(world, questions) {
                sources[source, default: 0] += 1
            }
        }
        #expect(sources[.sums] ?? 0 > 5 && sources[.contributions] ?? 0 > 5, "\(sources)")
        try await compareRebuild(world)
    }

    /// Checks that the sources agree; returns the source of each unrestricted answer.
    private func compare(
        _ world: MetricsWorld, _ questions: [MetricsQuestion]
    ) async throws -> [MovementSource] {
        try await world.ledger.session { session in
            var sources: [MovementSource] = []
            for asked in questions {
                let query = MetricsQuery(
                    session.snapshot, reportTimeZone: world.ledger.configuration.reportTimeZone,
                    now: asked.now)
                let expected = try await query.rollForward(
                    asked.question, by: asked.zone, from: [.facts])
                let stored = try await query.rollForward(
                    asked.question, by: asked.zone, from: [.contributions])
                let best = try await query.rollForward(asked.question, by: asked.zone)
                #expect(expected.source == .facts && stored.source == .contributions)
                let rows = expected.rollForward.rows()
                #expect(stored.rollForward.rows() == rows, "\(asked)")
                #expect(best.rollForward.rows() == rows, "\(asked)")
                for answer in [stored, best] {
                    #expect(answer.tally.hasUnpriced == expected.tally.hasUnpriced)
                    #expect(answer.tally.hasInferredPeriods == expected.tally.hasInferredPeriods)
                    #expect(answer.tally.hasChains == expected.tally.hasChains)
                    #expect(answer.head == expected.head)
                }
                sources.append(best.source)
            }
            return sources
        }
    }

    private func compareRebuild(_ world: MetricsWorld) async throws {
        try await world.ledger.session { session in
            let projector = try #require(session.projector)
            let report = try await RebuildCheck(projector).run()
            #expect(report.differences.isEmpty && report.fileFindings.isEmpty)
            let all = MovementPlan(
                months: [Timestamp(milliseconds: .min)..<ReportDays.end],
                days: [Timestamp(milliseconds: .min)..<ReportDays.end])
            let grown = try #require(await session.projections.movements(all))
            try await projector.rebuild()
            let built = try #require(await projector.projections.movements(all))
            #expect(grown.classes == built.classes && !built.sums.isEmpty)
            #expect(grown.sums == built.sums && grown.pending == built.pending)
            #expect(grown.newestSignedAt == built.newestSignedAt)
        }
    }

    @Test("By knowledge at any position or time, contributions and facts agree")
    func knowledge() async throws {
        let seed: UInt64 = 11
        var chance = SeededGenerator(seed: seed)
        let world = try MetricsWorld(lives: 30...54, seed: seed)
        try await world.take(0, of: 2)
        try await world.take(1, of: 2)
        try await world.ledger.session { session in
            // From before the first arrival to after the last.
            let arrivals = try await session.ledger.log.events(after: 0).map(\.receivedAt)
            let span = try #require(arrivals.min()).milliseconds...arrivals.max()!.milliseconds
            for number in 0..<Soak.count(14, soak: 48) {
                let asked = try MetricsQuestion(&chance, zones: ["UTC", "Europe/Berlin"])
                let position = Int64.random(in: 0...session.head, using: &chance)
                let time = Timestamp(
                    milliseconds: Int64.random(
                        in: span.lowerBound - 1...span.upperBound, using: &chance))
                let knowledge: [AsOf] = [
                    .knownPosition(position), .knownAt(time), .knownAt(TemporaryLedger.end),
                    .knownAt(asked.now),
                ]
                let query = MetricsQuery(
                    session.snapshot, reportTimeZone: "UTC", now: asked.now,
                    knowledge: knowledge[number % 4])
                let expected = try await query.rollForward(
                    asked.question, by: asked.zone, from: [.facts])
                let best = try await query.rollForward(asked.question, by: asked.zone)
                #expect(best.source == .contributions)
                #expect(best.rollForward.rows() == expected.rollForward.rows(), "\(asked)")
                #expect(best.tally.hasChains == expected.tally.hasChains)
            }
        }
    }

    @Test("For one app only its chains count, from any source")
    func oneApp() async throws {
        let world = try MetricsWorld(lives: 60...70, seed: 3)
        try await world.take(0, of: 1)
        try await world.ledger.session { session in
            for (app, isEmpty) in [("com.example.app", false), ("com.example.none", true)] {
                let query = MetricsQuery(
                    session.snapshot, reportTimeZone: "UTC", now: TemporaryLedger.end,
                    bundleId: BundleId(app))
                var words = MetricParameters()
                (words.from, words.interval) = ("2022-01-01", "quarter")
                let zone = try #require(ReportZone("UTC"))
                let question = RollForwardQuery(
                    .chains, instants: try words.instants(.quarter, zone, limit: query.limit))
                for source in MovementSource.allCases {
                    let answer = try await query.rollForward(question, by: zone, from: [source])
                    #expect(answer.tally.hasChains == !isEmpty, "\(source)")
                    #expect(
                        answer.rollForward.rows().allSatisfy { $0.churned == 0 } == isEmpty)
                }
            }
        }
    }

    @Test("Another report zone needs other sums: they are rebuilt, and a check names the zone")
    func anotherZone() async throws {
        let world = try MetricsWorld(lives: 80...84, seed: 1)
        try await world.take(0, of: 1)
        let first = try await world.ledger.session { $0.projections.path }
        var ledger = world.ledger
        ledger.configuration.reportTimeZone = "Europe/Berlin"
        let (second, build) = try await ledger.session { session in
            (session.projections.path, try await session.projections.build())
        }
        #expect(first != second)
        #expect(build?.days.hasPrefix("Europe/Berlin (") == true)
    }
}
