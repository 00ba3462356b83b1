import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import TestSupport
import Testing

/// `LogCopy` between engines.
@Suite("Copies of logs")
struct LogCopyTests {
    /// Every pair of engines.
    private static let pairs = [StoreEngine.sqlite].flatMap { sqlite in
        StoreEngine.postgres.flatMap { [(sqlite, $0), ($0, sqlite)] } + [(sqlite, sqlite)]
    }

    private func withLogs(
        _ engines: (StoreEngine, StoreEngine),
        _ body: (any LedgerLog, any LedgerLog) async throws -> Void
    ) async throws {
        let places = [try TemporaryDirectory(), try TemporaryDirectory()]
        let source = try await engines.0.open(places[0])
        let target = try await engines.1.open(places[1])
        let result = await Result {
            try await body(source, target)
        }
        await source.close()
        await target.close()
        try result.get()
    }

    /// Notifications, conflicts, claimed times, and more events than one page or transaction takes.
    private func fill(_ log: any LedgerLog) async throws {
        _ = try await log.append(Sample.events(0..<3))
        _ = try await log.append([
            try Sample.event("n0", price: 7), try Sample.event("x", at: 9_000_000, claimed: true),
        ])
        for start in [10, 510] {
            _ = try await log.append(Sample.crowd(start..<start + 500))
        }
    }

    @Test("Positions, rows, evidence and tree are equal, whatever the engines", arguments: pairs)
    func equal(_ source: StoreEngine, _ target: StoreEngine) async throws {
        try await withLogs((source, target)) { source, target in
            try await fill(source)
            let report = try await LogCopy(from: source, to: target).run()
            #expect(report.presentCount == 0)
            #expect(try await source.head() == target.head())
            #expect(try await target.head().root == report.root)
            #expect(try await source.allEvents() == target.allEvents())
            #expect(try await target.verify().isSound)
            let logged = try await target.page(after: 3, limit: 2)
            let original = try await source.page(after: 3, limit: 2)
            #expect(
                try logged.map { try $0.originalBytes() } == original.map { try $0.originalBytes() }
            )
        }
    }

    @Test("A copy continues where it stopped, and a copy of a whole log changes nothing")
    func continued() async throws {
        try await withLogs((.sqlite, StoreEngine.postgres.first ?? .sqlite)) { source, target in
            _ = try await source.append(Sample.events(0..<5))
            _ = try await LogCopy(from: source, to: target).run()
            try await fill(source)
            let report = try await LogCopy(from: source, to: target).run()
            #expect(report.presentCount == 5)
            #expect(try await source.head() == target.head())
            let again = try await LogCopy(from: source, to: target).run()
            #expect(again.presentCount == again.position)
        }
    }

    @Test("A target with other events is refused and left unchanged")
    func foreign() async throws {
        let refusal = StoreError(.fileForeign, reason: "", remedy: "")
        try await withLogs((.sqlite, .sqlite)) { source, target in
            _ = try await source.append(Sample.events(0..<5))
            _ = try await target.append(Sample.events(7..<9))
            let head = try await target.head()
            await #expect(throws: refusal) { try await LogCopy(from: source, to: target).run() }
            #expect(try await target.head() == head)
        }
        // As well as one that is ahead.
        try await withLogs((.sqlite, .sqlite)) { source, target in
            _ = try await source.append(Sample.events(0..<2))
            _ = try await target.append(Sample.events(0..<3))
            await #expect(throws: refusal) { try await LogCopy(from: source, to: target).run() }
        }
    }
}
