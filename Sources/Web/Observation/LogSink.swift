import Dispatch
import Foundation
import Synchronization

/// Writes whole lines to a file descriptor, in order, off the cooperative pool. While the reader
/// stalls, lines are dropped; writing neither blocks nor grows the queue.
final class LogSink: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "subledger.log")
    private let state = Mutex((waiting: 0, dropped: 0))

    /// Lines waiting to be written; further ones are dropped and counted.
    static let waitingCount = 10_000

    init(descriptor: Int32 = STDERR_FILENO) { self.descriptor = descriptor }

    /// `line` ends with a newline.
    func write(_ line: [UInt8]) {
        let isTaken = state.withLock { state in
            guard state.waiting < LogSink.waitingCount else {
                state.dropped += 1
                return false
            }
            state.waiting += 1
            return true
        }
        guard isTaken else { return }
        queue.async { [self] in
            put(line)
            let dropped = state.withLock { state in
                state.waiting -= 1
                defer { state.dropped = 0 }
                return state.dropped
            }
            if dropped > 0 { put(Array("\(dropped) log lines were dropped\n".utf8)) }
        }
    }

    private func put(_ line: [UInt8]) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns when everything is written.
    func flush() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}
