import LedgerTestSupport
import Synchronization
import Testing

@testable import LedgerStore

@Suite("Group commit")
struct GroupCommitTests {
    /// Counts how often the drainer was started.
    private final class Starts: Sendable {
        private let state = Mutex(0)

        var count: Int { state.withLock { $0 } }

        func add() {
            state.withLock { $0 += 1 }
        }
    }

    private let commits = GroupCommit("log")
    private let starts = Starts()

    private func append(_ ids: [String]) async throws -> [AppendResult] {
        let events = try ids.map { try Sample.command($0, [1]) }
        return try await commits.append(events) { starts.add() }
    }

    private func untilWaiting(_ count: Int) async {
        while commits.waiting.eventCount < count { await Task.yield() }
    }

    private func failure(_ code: StoreError.Code) -> StoreError {
        StoreError(code, reason: "", remedy: "")
    }

    @Test("One caller starts the drainer; close returns once the waiting batches are answered")
    func closed() async throws {
        let first = Task { try await append(["a", "b"]) }
        await untilWaiting(2)
        let second = Task { try await append(["c"]) }
        await untilWaiting(3)
        let end = Task { await commits.close() }
        while !commits.isClosed { await Task.yield() }
        await #expect(throws: failure(.closed)) { try await append(["d"]) }
        #expect(throws: failure(.closed)) { try commits.requireOpen() }
        let group = try #require(commits.nextGroup())
        #expect(group.map(\.events.count) == [2, 1] && commits.writingSince != nil)
        commits.answer(
            group,
            [
                .success([.appended(position: 1), .appended(position: 2)]),
                .success([.duplicate(of: 1)]),
            ])
        #expect(commits.waiting == (0, 0) && commits.writingSince == nil)
        #expect(commits.nextGroup()?.count == nil)
        await end.value
        #expect(try await first.value == [.appended(position: 1), .appended(position: 2)])
        #expect(try await second.value == [.duplicate(of: 1)])
        #expect(starts.count == 1)
        // With nothing to drain it returns at once.
        await commits.close()
    }

    @Test("A group that fails fails its callers alone, and the drainer is started again")
    func failed() async throws {
        let first = Task { try await append(["a"]) }
        await untilWaiting(1)
        let group = try #require(commits.nextGroup())
        let second = Task { try await append(["b"]) }
        await untilWaiting(2)
        commits.answer(group, [.failure(failure(.diskFull))])
        await #expect(throws: failure(.diskFull)) { try await first.value }
        let next = try #require(commits.nextGroup())
        commits.answer(next, [.success([.appended(position: 1)])])
        #expect(try await second.value == [.appended(position: 1)])
        #expect(commits.nextGroup()?.count == nil)
        let third = Task { try await append(["c"]) }
        await untilWaiting(1)
        let last = try #require(commits.nextGroup())
        commits.answer(last, [.success([.appended(position: 2)])])
        #expect(try await third.value == [.appended(position: 2)])
        #expect(starts.count == 2)
    }

    @Test("A caller that is cancelled while its events are written gets their positions")
    func cancelled() async throws {
        let task = Task { try await append(["a"]) }
        await untilWaiting(1)
        let group = try #require(commits.nextGroup())
        task.cancel()
        commits.answer(group, [.success([.appended(position: 1)])])
        #expect(try await task.value == [.appended(position: 1)])
    }

    @Test("A full queue refuses a batch, and nothing of it is written")
    func full() async throws {
        let event = try Sample.command("a", [1])
        let count = LogLimits.queueEventCount / LogLimits.batchEventCount
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count {
                group.addTask { [commits, starts] in
                    let events = Array(repeating: event, count: LogLimits.batchEventCount)
                    return try await commits.append(events) { starts.add() }.count
                }
            }
            await untilWaiting(count * LogLimits.batchEventCount)
            let more = Array(repeating: event, count: LogLimits.batchEventCount)
            await #expect(throws: failure(.queueFull)) {
                try await commits.append(more) { starts.add() }
            }
            var written = 0
            while let batches = commits.nextGroup() {
                written += batches.count
                commits.answer(
                    batches,
                    batches.map { .success($0.events.map { _ in .appended(position: 1) }) })
            }
            for try await answered in group { #expect(answered == LogLimits.batchEventCount) }
            #expect(written == count && commits.waiting == (0, 0) && starts.count == 1)
        }
    }
}
