import Synchronization
import Testing

@testable import Service

@Suite("Reads for many callers together")
struct ReadBatcherTests {
    /// Returns each key's double once it is open; records batches.
    private final class Desk: Sendable {
        private let state = Mutex(State())

        private struct State {
            var isOpen = false
            var waiting: [CheckedContinuation<Void, Never>] = []
            var batches: [[Int]] = []
        }

        init(isOpen: Bool = false) { state.withLock { $0.isOpen = isOpen } }

        var batches: [[Int]] { state.withLock { $0.batches } }

        func read(_ keys: [Int]) async -> [Int] {
            state.withLock { $0.batches.append(keys) }
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
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

    private let reads = ReadBatcher<Int, Int>()

    private func value(
        _ key: Int, _ desk: Desk,
        by deadline: ContinuousClock.Instant = ContinuousClock.now + .seconds(600)
    ) async -> Int? {
        await reads.value(key, by: deadline) { await desk.read($0) }
    }

    @Test("A caller whose deadline passes while another is read for gets nothing, and is not read")
    func late() async {
        let desk = Desk()
        async let first = value(1, desk)
        while desk.batches.isEmpty { await Task.yield() }
        let second = await value(2, desk, by: .now)
        #expect(second == nil)
        desk.open()
        let read = await first
        #expect(read == 2)
        let third = await value(3, desk)
        #expect(third == 6)
        #expect(desk.batches == [[1], [3]])
        #expect(reads.waitingCount == 0)
    }

    @Test("A caller whose deadline passes while its own batch is read gets nothing")
    func stalled() async {
        let desk = Desk()
        let first = await value(1, desk, by: .now)
        #expect(first == nil)
        desk.open()
        let second = await value(2, desk)
        #expect(second == 4)
        #expect(desk.batches.last == [2])
    }

    @Test("Callers in turn are each read alone")
    func alone() async {
        let desk = Desk(isOpen: true)
        for key in 1...50 {
            let value = await value(key, desk)
            #expect(value == key * 2)
        }
        #expect(desk.batches == (1...50).map { [$0] })
    }

    @Test("Callers that arrive while a batch is read form the next one, each with its own value")
    func together() async {
        let desk = Desk()
        let count = 500
        let values: [Int: Int] = await withTaskGroup(of: (Int, Int?).self) { group in
            group.addTask { (0, await value(0, desk)) }
            while desk.batches.isEmpty { await Task.yield() }
            for key in 1..<count { group.addTask { (key, await value(key, desk)) } }
            while reads.waitingCount < count { await Task.yield() }
            desk.open()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(values == Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, $0 * 2) }))
        #expect(desk.batches.map(\.count) == [1, count - 1])
    }
}
