import Dispatch
import Foundation
import LedgerStore
import Testing

@Suite("Long computations")
struct ComputingExecutorTests {
    @Test("As many as there are cores leave the threads of the pool to others")
    func poolIsFree() async {
        let gate = DispatchSemaphore(value: 0)
        let count = ProcessInfo.processInfo.activeProcessorCount
        async let opened: Void = Task.detached { for _ in 0..<count { gate.signal() } }.value
        let results = await Parallel.map(
            Array(0..<count), atLeast: 1, on: ComputingExecutor.shared
        ) { _ in gate.wait(timeout: .now() + .seconds(600)) }
        await opened
        #expect(results.allSatisfy { $0 == .success })
    }
}
