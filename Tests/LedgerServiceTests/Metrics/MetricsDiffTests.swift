import AppStore
import Ledger
import LedgerService
import Testing

@Suite("What a late event moved")
struct MetricsDiffTests {
    private let chain = MadeChain(id: "600000000000001")
    private let other = MadeChain(id: "600000000000002")

    /// Two chains; then what became of the first one. Positions 1 and 2, and 3 to 5.
    private func taken() async throws -> TemporaryLedger {
        var ledger = try TemporaryLedger()
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        _ = try await ledger.ingest([chain.bought(), other.bought()])
        _ = try await ledger.ingest([chain.renewed(1), chain.turnedOff(1), chain.expired(1)])
        return ledger
    }

    private func diff(
        _ ledger: TemporaryLedger, _ name: String = "churn", by: [String] = [],
        from before: KnowledgeLimit, to after: KnowledgeLimit = .everything
    ) async throws -> MetricsDiff {
        var words = MetricsWords()
        (words.from, words.to, words.by) = ("2026-01-01", "2026-05-01", by)
        return try await ledger.session { [words] session in
            let query = MetricsQuery(
                session.query, reportTimeZone: "UTC", now: ledger.now, knowledge: after)
            return try await query.diff(try ComparedMetric(name), words, from: before)
        }
    }

    private func report(
        _ ledger: TemporaryLedger, _ knowledge: KnowledgeLimit
    ) async throws -> [RollForwardRow] {
        var words = MetricsWords()
        (words.from, words.to) = ("2026-01-01", "2026-05-01")
        return try await ledger.session { [words] session in
            try await MetricsQuery(
                session.query, reportTimeZone: "UTC", now: ledger.now, knowledge: knowledge
            ).churn(words).rows
        }
    }

    @Test("Between the same knowledge nothing moved; an unknown metric is a clear error")
    func nothing() async throws {
        let ledger = try await taken()
        #expect(try await diff(ledger, from: .everything).cells.isEmpty)
        #expect(try await diff(ledger, from: .knownPosition(5)).cells.isEmpty)
        #expect(throws: MetricsError.unknownMetric("profit")) { try ComparedMetric("profit") }
        // What arrived when is no matter of knowledge.
        await #expect(throws: MetricsError.unknownMetric("lateness")) {
            try await diff(ledger, "lateness", from: .everything)
        }
    }

    @Test("The cells that moved, from what to what, and the events that did it")
    func cells() async throws {
        let ledger = try await taken()
        let diff = try await diff(ledger, from: .knownPosition(2))
        let told = diff.cells.map { cell in
            "\(cell.from.rfc3339.prefix(7)) \(cell.column) \(cell.before) \(cell.after)"
        }
        #expect(
            told == [
                "2026-02 churned.unconfirmed 2 1", "2026-02 activeEnd 0 1",
                "2026-03 activeStart 0 1", "2026-03 churned.voluntary 0 1",
            ])
        #expect(diff.cells.allSatisfy { $0.events == [3, 4, 5] && $0.eventsOmitted == 0 })
        #expect(diff.stamp.position == 5)
    }

    @Test("What moved is the difference of the two reports, in both directions")
    func reports() async throws {
        let ledger = try await taken()
        for position in 0...5 as ClosedRange<Int64> {
            let early = try await report(ledger, .knownPosition(position))
            let late = try await report(ledger, .everything)
            let forth = try await diff(ledger, from: .knownPosition(position))
            let back = try await diff(ledger, from: .everything, to: .knownPosition(position))
            #expect(forth.cells.map { $0.before } == back.cells.map { $0.after })
            for (old, new) in zip(early, late) {
                let moved = forth.cells.filter { $0.from == old.from && $0.column == "activeEnd" }
                let expected = old.activeEnd == new.activeEnd ? [] : [old.activeEnd]
                #expect(moved.map { $0.before } == expected)
            }
        }
    }

    @Test("Every metric can be compared, in groups, as JSON and as tables")
    func everyMetric() async throws {
        let ledger = try await taken()
        let names = MetricName.allCases.filter { $0 != .lateness && $0 != .ltv }.map(\.rawValue)
        for name in ["churn"] + names {
            let diff = try await diff(ledger, name, by: ["product"], from: .knownPosition(2))
            let json = try TemporaryLedger.json { diff.write(to: &$0) }
            #expect(json["definition"]?.string == "\(name)/1")
            #expect(json["before"]?["knownPosition"]?.int64 == 2)
            #expect(json["after"]?["knownPosition"]?.isNull == true)
            for cell in json["cells"]?.array ?? [] {
                #expect(cell["group"]?.keys.last == "product")
                #expect(cell["before"] != cell["after"])
            }
            let rows = CommaSeparated.rows(String(decoding: diff.table(.csv), as: UTF8.self))
            #expect(rows.count == diff.cells.count + 1)
            #expect(rows.allSatisfy { $0.count == rows[0].count })
        }
        let none = try await diff(ledger, from: .everything)
        #expect(String(decoding: none.table(.text), as: UTF8.self).hasSuffix("no cell moved\n"))
    }

    @Test("Compared is up to the earlier knownAt: nothing is told of what comes after it")
    func cut() async throws {
        let ledger = try await taken()
        let early = try #require(Timestamp(userInput: "2026-02-20T00:00:00Z"))
        let late = try #require(Timestamp(userInput: "2026-04-01T00:00:00Z"))
        let diff = try await diff(ledger, from: .knownAt(early), to: .knownAt(late))
        #expect(diff.cells.allSatisfy { $0.to <= early })
    }
}
