/// Limits concurrency. Test cases run in parallel, and every open ledger holds some twenty
/// descriptors: without a bound the process runs out of them.
package actor Gate {
    package static let ledgers = Gate(width: 6)
    /// A served directory holds some forty descriptors.
    package static let services = Gate(width: 4)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(width: Int) { free = width }

    /// Runs `body` once there is room. Not reentrant: nested calls may deadlock.
    package nonisolated func pass<Value>(_ body: () async throws -> Value) async throws -> Value {
        await enter()
        do {
            let value = try await body()
            await leave()
            return value
        } catch {
            await leave()
            throw error
        }
    }

    private func enter() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
