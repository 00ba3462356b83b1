import Dispatch
import LedgerStore
import Synchronization
import TestSupport
import Testing

@testable import PostgresStore

/// Requests that queue for a connection; no server is needed.
@Suite("Waiting for a connection")
struct ConnectionThreadsTests {
    @Test("A request that waited while another one could not connect fails without trying to")
    func failedMeanwhile() async throws {
        let (attempts, queued) = (Counter(), Counter())
        let gate = DispatchSemaphore(value: 0)
        let threads = ConnectionThreads("test", count: 1) {
            attempts.add()
            gate.wait()
            throw PostgresError(.unreachable, "away")
        }
        @Sendable func request() async throws(StoreError) {
            queued.add()
            try await threads.run("place", within: .seconds(600)) { _ = try $0.connection() }
        }
        var requests = [Task { try await request() }]
        try await attempts.reaches(1)
        for _ in 0..<5 { requests.append(Task { try await request() }) }
        try await queued.reaches(6)
        try await Task.sleep(for: .milliseconds(200))
        for _ in 0..<12 { gate.signal() }
        for request in requests {
            await #expect(throws: failure(.databaseUnavailable)) { try await request.value }
        }
        #expect(attempts.count == 1)
        // One that comes later tries again.
        await #expect(throws: failure(.databaseUnavailable)) { try await request() }
        #expect(attempts.count == 2)
        await threads.stopped()
    }

    @Test("A request that waited for too long is not begun")
    func late() async throws {
        let (queued, begun) = (Counter(), Counter())
        let gate = DispatchSemaphore(value: 0)
        let threads = ConnectionThreads("test", count: 1) {
            throw PostgresError(.unreachable, "away")
        }
        _ = threads.add { _ in gate.wait() }
        let request = Task {
            queued.add()
            try await threads.run("place", within: .milliseconds(50)) { _ in begun.add() }
        }
        try await queued.reaches(1)
        try await Task.sleep(for: .milliseconds(200))
        gate.signal()
        await #expect(throws: failure(.databaseUnavailable)) { try await request.value }
        #expect(begun.count == 0)
        try await threads.run("place", within: .seconds(600)) { _ in begun.add() }
        #expect(begun.count == 1)
        await threads.stopped()
    }

    @Test("A request takes its turn as long as those before it are answered")
    func answered() async throws {
        let (begun, queued) = (Counter(), Counter())
        let gate = DispatchSemaphore(value: 0)
        let threads = ConnectionThreads("test", count: 1) {
            throw PostgresError(.unreachable, "away")
        }
        let first = Task {
            try await threads.run("place", within: .seconds(600)) { _ in
                begun.add()
                gate.wait()
            }
        }
        try await begun.reaches(1)
        let second = Task {
            queued.add()
            try await threads.run("place", within: .seconds(2)) { _ in begun.add() }
        }
        try await queued.reaches(1)
        try await Task.sleep(for: .milliseconds(2_500))
        gate.signal()
        try await first.value
        try await second.value
        #expect(begun.count == 2)
        await threads.stopped()
    }
}

private final class Counter: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    func add() { state.withLock { $0 += 1 } }

    func reaches(_ least: Int) async throws {
        while count < least { try await Task.sleep(for: .milliseconds(5)) }
    }
}
