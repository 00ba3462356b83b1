import LedgerStore
import LedgerTestSupport
import SQLiteStore
import TestSupport
import Testing

@Suite("A failed COMMIT")
struct LogCommitFaultTests {
    private func open(_ directory: TemporaryDirectory, _ faults: FaultScript) async throws
        -> EventLog
    {
        try await EventLog.open(directory: directory.path, faults: faults, busyTimeoutSeconds: 5)
    }

    @Test("Without effect: the events are appended once more, once")
    func notDone() async throws {
        let directory = try TemporaryDirectory()
        let faults = FaultScript(before: [2])
        let log = try await open(directory, faults)
        _ = try await log.append(Sample.events(0..<2))
        let results = try await log.append(Sample.events(1..<4))
        #expect(
            results == [.duplicate(of: 2), .appended(position: 3), .appended(position: 4)])
        #expect(faults.count == 3)
        #expect(try await log.verify().isSound)
        await log.close()
    }

    @Test("With effect but a lost result: the first results are kept, nothing is appended twice")
    func done() async throws {
        let directory = try TemporaryDirectory()
        let faults = FaultScript(after: [1])
        let log = try await open(directory, faults)
        let results = try await log.append(Sample.events(0..<3))
        #expect(results == [1, 2, 3].map { .appended(position: $0) })
        #expect(faults.count == 1)
        #expect(try await log.head().position == 3)
        #expect(try await log.append(Sample.events(3..<4)) == [.appended(position: 4)])
        #expect(try await log.verify().isSound)
        await log.close()
    }

    @Test("Twice in a row: the outcome is unknown, and appending again is safe")
    func twice() async throws {
        let directory = try TemporaryDirectory()
        let log = try await open(directory, FaultScript(before: [1, 2]))
        let events = try Sample.events(0..<3)
        await #expect(throws: StoreError(.commitOutcomeUnknown, reason: "", remedy: "")) {
            try await log.append(events)
        }
        #expect(try await log.append(events) == [1, 2, 3].map { .appended(position: $0) })
        #expect(try await log.verify().isSound)
        await log.close()
    }

    @Test("With effect but reported as lost: appending again finds duplicates")
    func lostAnswer() async throws {
        let directory = try TemporaryDirectory()
        let log = try await open(directory, FaultScript(before: [1], after: [2]))
        let events = try Sample.events(0..<2)
        await #expect(throws: StoreError(.commitOutcomeUnknown, reason: "", remedy: "")) {
            try await log.append(events)
        }
        #expect(try await log.append(events) == [.duplicate(of: 1), .duplicate(of: 2)])
        await log.close()
    }

    @Test("Headers of a rolled-back transaction are not cached as stored")
    func headersOfNothing() async throws {
        let directory = try TemporaryDirectory()
        let log = try await open(directory, FaultScript(before: [1, 2]))
        _ = try? await log.append([try Sample.event("a")])
        _ = try await log.append([try Sample.event("b", header: Sample.otherHeader)])
        _ = try await log.append([try Sample.event("a")])
        #expect(try await log.verify().isSound)
        await log.close()
    }

    @Test("Many appenders with failing commits: every answer is correct")
    func manyAppenders() async throws {
        let directory = try TemporaryDirectory()
        let log = try await open(
            directory, FaultScript(before: [2, 5, 9], after: [3, 11, 12, 13]))
        let answered = await withTaskGroup(of: Int.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let events = try? Sample.events(number * 3..<number * 3 + 3)
                    guard let events, let results = try? await log.append(events) else { return 0 }
                    return results.count
                }
            }
            return await group.reduce(0, +)
        }
        let report = try await log.verify()
        #expect(report.isSound)
        #expect(report.eventCount >= Int64(answered))
        #expect(answered > 0)
        await log.close()
    }
}
