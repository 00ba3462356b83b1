import LedgerStore
import Synchronization
import Testing

@testable import Service

@Suite("Batched reads")
struct GatheringTests {
    /// Returns the key's double once released; records batches.
    private final class Desk: Sendable {
        private let state = Mutex(State())

        private struct State {
            var isOpen = false
            var waiting: [CheckedContinuation<Void, Never>] = []
            var groups: [[Int]] = []
        }

        var groups: [[Int]] { state.withLock { $0.groups } }

        func work(_ keys: [Int]) async -> [Int] {
            state.withLock { $0.groups.append(keys) }
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
            return keys.map { $0 * 2 }
        }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    @Test("A single read does not wait and is alone in its batch")
    func alone() async {
        let desk = Desk()
        desk.open()
        let gathering = ReadBatcher<Int, Int> { await desk.work($0) }
        #expect(await gathering.value(3) == 6)
        #expect(await gathering.value(4) == 8)
        #expect(desk.groups == [[3], [4]])
    }

    @Test("Concurrent reads get their own values, in batches within the bound")
    func many() async {
        let desk = Desk()
        let gathering = ReadBatcher<Int, Int> { await desk.work($0) }
        let count = 500
        let answers = await withTaskGroup(of: (Int, Int).self) { group in
            for key in 0..<count { group.addTask { (key, await gathering.value(key)) } }
            // The first ones block the leaders until all have arrived.
            while desk.groups.count < 2 || gathering.waitingCount < count - 2 {
                await Task.yield()
            }
            desk.open()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(answers.count == count)
        #expect(answers.allSatisfy { $0.value == $0.key * 2 })
        let sizes = desk.groups.map(\.count)
        #expect(sizes.reduce(0, +) == count)
        #expect(sizes.max() == ReadBatcher<Int, Int>.maximumCount)
        #expect(gathering.waitingCount == 0)
    }

    @Test("A read after all batches is answered too")
    func later() async {
        let desk = Desk()
        desk.open()
        let gathering = ReadBatcher<Int, Int> { await desk.work($0) }
        for round in 0..<50 {
            let sum = await withTaskGroup(of: Int.self) { group in
                for key in 0..<8 { group.addTask { await gathering.value(round + key) } }
                return await group.reduce(0, +)
            }
            #expect(sum == 16 * round + 56)
        }
    }
}

@Suite("Asynchronous lock")
struct TurnstileTests {
    private struct Failure: Error {}

    /// Counts concurrent holders.
    private final class Room: Sendable {
        private let inside = Mutex(0)

        func enter() -> Int {
            inside.withLock { inside in
                inside += 1
                return inside
            }
        }

        func leave() { inside.withLock { $0 -= 1 } }
    }

    @Test("The lock is exclusive, and a failure releases it")
    func alone() async {
        let (turnstile, room) = (AsyncLock(), Room())
        let done = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    do {
                        return try await turnstile.pass {
                            #expect(room.enter() == 1)
                            await Task.yield()
                            room.leave()
                            if number % 3 == 0 { throw Failure() }
                            return true
                        }
                    } catch { return false }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(done == 66)
    }
}
