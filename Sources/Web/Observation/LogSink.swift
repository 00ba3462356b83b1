import Dispatch
import Foundation
import Synchronization

/// Writes whole lines to a file descriptor, in order, off the cooperative pool. While the reader
/// stalls, lines are dropped; writing neither blocks nor grows the queue.
final class LogSink: Sendable {
    private let file: FileHandle
    private let queue = DispatchQueue(label: "subledger.log")
    private let state = Mutex((waiting: 0, dropped: 0))

    /// Lines waiting to be written; further ones are dropped and counted.
    static let waitingCount = 10_000

    init(_ file: FileHandle = .standardError) { self.file = file }

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

    private func put(_ line: [UInt8]) { try? file.write(contentsOf: line) }

    /// Returns when everything is written.
    func flush() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}
