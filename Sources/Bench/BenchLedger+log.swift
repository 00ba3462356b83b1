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
        var latencies: [Double] = []
        var appended = 0
        var marks: [(Int, Double)] = [(0, 0)]
        while appended < count {
            let size = min(LogLimits.batchEventCount, count - appended)
            let batch = (0..<size).map { pool.event(appended + $0) }
            latencies.append(try await BenchLedger.seconds { _ = try await log.append(batch) })
            appended += size
            marks.append((appended, latencies.reduce(0, +)))
            report(Int64(appended))
        }
        let (single, bareSingle) = try await single(log, pool, appended)
        let directory = directory
        let bare = try await Blocking.run {
            try BareStorage.inserts(
                directory: directory, count: 100_000, batchCount: LogLimits.batchEventCount,
                rowByteCount: 330, bodyByteCount: pool.bodyByteCount)
        }
        await log.close()
        func row(_ name: String, _ marks: ArraySlice<(Int, Double)>) -> BenchRow {
            BenchRow(
                name, BenchLedger.rate(marks), "events/s",
                against: .init("bare SQLite insert", bare), events: count)
        }
        return [
            row("append", marks[...]),
            row("append.empty", marks.prefix { $0.0 <= BenchLedger.stretchEventCount + 512 }),
            row("append.last", marks.drop { $0.0 < count - BenchLedger.stretchEventCount }),
            .milliseconds(
                "append.batchP99", BenchLedger.percentile(latencies, 0.99), events: count),
            .milliseconds(
                "append.single", single, against: .init("bare fdatasync", bareSingle),
                events: count),
        ]
    }

    private static func rate(_ marks: ArraySlice<(Int, Double)>) -> Double {
        guard let first = marks.first, let last = marks.last, last.1 > first.1 else { return 0 }
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
        await forgetWriting()
        let started = ContinuousClock.now
        let projector = try await projector(ledger)
        let elapsed = (ContinuousClock.now - started).seconds
        guard try await projector.projections.checkpoint().position == count else {
            throw BenchProblem.refused
        }
        let row = BenchRow(
            name, Double(count) / elapsed, "events/s",
            against: .init("bare scan of the log", Double(count) / bare), events: count)
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
                name, 100 * Double(bytes) / Double(received), "% of the bytes received",
                against: .init("bytes received", 100), events: count)
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
