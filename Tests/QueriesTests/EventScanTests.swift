import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import SQLiteStore
import TestSupport
import Testing

@testable import Queries

@Suite("Walks over the log for one page")
struct EventScanTests {
    private struct Page: Equatable {
        var positions: [Int64]
        var next: Int64?
    }

    private static func page(
        _ log: EventLog, _ filter: EventFilter, from place: EventPlace, limit: Int = 1_000,
        withEvidence: Bool = false
    ) async throws -> Page {
        let head = try await log.head().position
        var positions: [Int64] = []
        let next = try await EventScan(
            log, filter, head: head, limit: limit, withEvidence: withEvidence
        ).run(from: place) { event, evidence in
            #expect((evidence != nil) == withEvidence)
            positions.append(event.position)
            return true
        }
        return Page(positions: positions, next: next)
    }

    /// A log of commands at these positions and notifications at all others.
    private static func withLog(
        _ count: Int, commandsAt places: Set<Int>, _ body: (EventLog) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let result = await Result {
            for start in stride(from: 1, through: count, by: LogLimits.batchEventCount) {
                let end = min(count, start + LogLimits.batchEventCount - 1)
                _ = try await log.append(
                    try (start...end).map { position in
                        places.contains(position)
                            ? try Sample.command("c\(position)", [])
                            : try Sample.event("n\(position)", evidence: .verbatim([]))
                    })
            }
            try await body(log)
        }
        await log.close()
        try result.get()
    }

    @Test("A page scans at most ten thousand events, and the next one goes on there")
    func bounded() async throws {
        let bound = EventFilter.scannedCount
        var filter = EventFilter()
        filter.kinds = [.command]
        let count = bound + 2
        try await EventScanTests.withLog(count, commandsAt: [bound + 1]) { log in
            // One past the bound forwards, and at place 2 backwards.
            let first = try await EventScanTests.page(log, filter, from: .after(0))
            #expect(first == Page(positions: [], next: Int64(bound)))
            let second = try await EventScanTests.page(log, filter, from: .after(Int64(bound)))
            #expect(second == Page(positions: [Int64(bound + 1)], next: Int64(count)))
            let reached = try await EventScanTests.page(log, filter, from: .after(1))
            #expect(reached == Page(positions: [Int64(bound + 1)], next: Int64(bound + 1)))
            let back = try await EventScanTests.page(log, filter, from: .before(nil))
            #expect(back == Page(positions: [Int64(bound + 1)], next: 3))
            let rest = try await EventScanTests.page(log, filter, from: .before(3))
            #expect(rest == Page(positions: [], next: nil))
        }
    }

    @Test("A full page ends at its last event, with evidence and without, in both directions")
    func full() async throws {
        try await EventScanTests.withLog(200, commandsAt: [2, 100, 199]) { log in
            var filter = EventFilter()
            filter.kinds = [.command]
            for withEvidence in [false, true] {
                func page(_ place: EventPlace, _ limit: Int, _ filter: EventFilter) async throws
                    -> Page
                {
                    try await EventScanTests.page(
                        log, filter, from: place, limit: limit, withEvidence: withEvidence)
                }
                #expect(
                    try await page(.after(0), 2, filter) == Page(positions: [2, 100], next: 100))
                #expect(
                    try await page(.after(100), 2, filter) == Page(positions: [199], next: 200))
                #expect(
                    try await page(.before(nil), 2, filter)
                        == Page(positions: [199, 100], next: 100))
                #expect(
                    try await page(.before(100), 2, filter) == Page(positions: [2], next: nil))
                let all = try await page(.after(0), 150, EventFilter())
                #expect(all == Page(positions: Array(1...150), next: 150))
                let newest = try await page(.before(nil), 150, EventFilter())
                #expect(newest == Page(positions: Array((51...200).reversed()), next: 51))
            }
        }
    }
}
