import Synchronization
import Testing

@testable import LedgerStore

@Suite("Asynchronous lock")
struct AsyncLockTests {
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
        let (lock, room) = (AsyncLock(), Room())
        let done = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    do {
                        return try await lock.pass {
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
