import Foundation
internal import Intake
import Ledger
internal import LedgerStore
internal import Projection
internal import SQLiteStore

/// Benchmarks on a real log.
extension BenchLedger {
    /// Number of events at the beginning and at the end with separate rates.
    static let stretchEventCount = 100_000
    /// Number of appends of one event, and of bare syncs.
    static let singleCount = 500

    // MARK: Append

    /// Appends batches of 512 to an empty log, up to `count` events, then single events; against
    /// SQLite inserting the same bytes, and against a bare fdatasync.
    public func append(count: Int, report: (Int64) -> Void = { _ in }) async throws -> [BenchRow] {
        defer { remove() }
        let pool = try feedPool()
        let log = try await EventLog.open(directory: directory)
        var (first, last, latencies): (Double, Double, [Double]) = (0, 0, [])
        let clock = ContinuousClock()
        var (appended, number) = (0, 0)
        var marks: [(Int, Double)] = [(0, 0)]
        while appended < count {
            let size = min(LogLimits.batchEventCount, count - appended)
            let batch = (0..<size).map { pool.event(number + $0) }
            let begin = clock.now
            _ = try await log.append(batch)
            latencies.append((clock.now - begin).seconds)
            number += size
            appended += size
            marks.append((appended, latencies.reduce(0, +)))
            report(Int64(appended))
        }
        first = BenchLedger.rate(marks.prefix { $0.0 <= BenchLedger.stretchEventCount + 512 })
        last = BenchLedger.rate(marks.drop { $0.0 < count - BenchLedger.stretchEventCount })
        let overall = BenchLedger.rate(marks[...])
        let (single, bareSingle) = try await single(log, pool, number)
        let directory = directory
        let bare = try await Blocking.run {
            try BareStorage.inserts(
                directory: directory, count: 100_000, batchCount: LogLimits.batchEventCount,
                rowByteCount: 330, bodyByteCount: pool.bodyByteCount)
        }
        await log.close()
        func row(_ name: String, _ value: Double) -> BenchRow {
            BenchRow(
                name: name, value: value, unit: "events/s", limitName: "bare SQLite insert",
                limit: bare, events: count)
        }
        return [
            row("append", overall), row("append.empty", first), row("append.last", last),
            BenchRow(
                name: "append.batchP99", value: BenchLedger.percentile(latencies, 0.99) * 1_000,
                unit: "ms", events: count),
            BenchRow(
                name: "append.single", value: single * 1_000, unit: "ms",
                limitName: "bare fdatasync", limit: bareSingle * 1_000, events: count),
        ]
    }

    private static func rate(_ marks: some Collection<(Int, Double)>) -> Double {
        guard let first = marks.first, let last = marks.reversed().first, last.1 > first.1 else {
            return 0
        }
        return Double(last.0 - first.0) / (last.1 - first.1)
    }

    /// Medians of one event's append and of one bare fdatasync, measured alternately.
    private func single(
        _ log: EventLog, _ pool: EventPool, _ number: Int
    ) async throws -> (Double, Double) {
        var (singles, bares): ([Double], [Double]) = ([], [])
        let directory = directory
        for index in 0..<BenchLedger.singleCount {
            let event = pool.event(number + index)
            singles.append(
                try await BenchLedger.seconds { _ = try await log.append([event]) })
            guard index.isMultiple(of: 10) else { continue }
            bares += await Blocking.run {
                BareStorage.synchronizations(
                    directory: directory, count: 10, byteCount: pool.bodyByteCount)
            }
        }
        return (BenchLedger.median(singles), BenchLedger.median(bares))
    }

    func feedPool() throws -> EventPool {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        guard let (events, _) = lives.nextEvents(), !events.isEmpty else {
            throw BenchProblem.noInput
        }
        return EventPool(events: events)
    }

    // MARK: From the log

    /// Writes a log of whole lives, then decodes all of it into new facts and projections; against
    /// a bare scan of the log. The last rows are the sizes.
    public func fromLog(report: (Int64) -> Void = { _ in }) async throws -> [BenchRow] {
        defer { remove() }
        let ledger = try await open()
        let (count, received) = try await write(to: ledger, report)
        let (row, projector) = try await decode("from-log", ledger, count: count)
        return [row]
            + (try await sizes(ledger, projector, count: count, received: received))
    }

    /// Decodes a whole log into new facts and projections, against a bare scan of it.
    func decode(
        _ name: String, _ ledger: EnvironmentLedger, count: Int64
    ) async throws -> (BenchRow, Projector) {
        let bare = try await BenchLedger.seconds {
            var position: Int64 = 0
            while let last = try await ledger.log.page(after: position).last {
                position = last.event.position
            }
        }
        // Excludes the memory used for writing the log.
        await Blocking.run { FreedMemory.giveBack() }
        PeakMemory.reset()
        let clock = ContinuousClock()
        let started = clock.now
        guard let projector = try await Projector.open(ledger) else { throw BenchProblem.busy }
        let elapsed = (clock.now - started).seconds
        guard try await projector.projections.checkpoint().position == count else {
            throw BenchProblem.refused
        }
        let row = BenchRow(
            name: name, value: Double(count) / elapsed, unit: "events/s",
            limitName: "bare scan of the log", limit: Double(count) / bare, events: Int(count))
        return (row, projector)
    }

    /// Fills the log with lives while more are generated.
    ///
    /// - Parameter holdingBackLast: whether the last event of each is left for `lateEvents`.
    func write(
        to ledger: EnvironmentLedger, holdingBackLast: Bool = false,
        _ report: (Int64) -> Void = { _ in }
    ) async throws -> (count: Int64, received: Int64) {
        var (count, received): (Int64, Int64) = (0, 0)
        let (lives, width) = (lives, BenchLedger.workerCount + 1)
        try await withThrowingTaskGroup(of: (events: [NewEvent], Int64)?.self) { group in
            let next = { @Sendable in lives.nextEvents(holdingBackLast: holdingBackLast) }
            for _ in 0..<width { group.addTask { next() } }
            while let made = try await group.next() {
                guard let made else { continue }
                group.addTask { next() }
                received += made.1
                for piece in EventBatches(made.events) {
                    count = try await ledger.log.append(Array(piece)).last?.position ?? count
                }
                report(count)
            }
        }
        return (try await ledger.log.head().position, received)
    }

    /// Sizes after closing everything, which excludes the write-ahead logs.
    private func sizes(
        _ ledger: EnvironmentLedger, _ projector: Projector, count: Int64, received: Int64
    ) async throws -> [BenchRow] {
        let (facts, projections) = (ledger.facts, projector.projections)
        try await facts.walCheckpoint()
        try await projections.walCheckpoint()
        try projections.close()
        try facts.close()
        await ledger.close()
        let parts = [
            ("size.log", DerivedFiles.byteCount("\(directory)/\(EventLog.fileName)")),
            ("size.facts", DerivedFiles.byteCount(facts.path)),
            ("size.projections", DerivedFiles.byteCount(projections.path)),
        ]
        let all = parts.reduce(0) { $0 + $1.1 }
        return ([("size", all)] + parts).map { name, bytes in
            BenchRow(
                name: name, value: 100 * Double(bytes) / Double(received),
                unit: "% of the bytes received", limitName: "bytes received",
                limit: 100, events: Int(count))
        }
    }
}

/// Events that can be repeated with other identities.
struct EventPool: Sendable {
    private let events: [NewEvent]
    let bodyByteCount: Int

    init(events: [NewEvent]) {
        self.events = events
        bodyByteCount =
            events.reduce(0) { $0 + $1.evidence.packed.storedByteCount } / max(1, events.count)
    }

    func event(_ number: Int) -> NewEvent {
        var event = events[number % events.count]
        event.key = EventKey.make(.notification, [String(number)])
        return event
    }
}
