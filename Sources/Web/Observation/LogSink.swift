import Dispatch
import Foundation
import Synchronization

/// Writes whole lines to a file descriptor, in order, off the cooperative pool. While the reader
/// stalls, lines are dropped; writing neither blocks nor grows the queue.
final class LogSink: Sendable {
    private let file: FileHandle
    /// Tests suspend it, as a reader that stalls does.
    let queue = DispatchQueue(label: "subledger.log")
    private let state = Mutex((waiting: 0, dropped: 0))

    /// Lines waiting to be written; further ones are dropped and counted.
    static let waitingCount = 10_000
    /// Longest wait of `flush`, in seconds: a reader that stalls must not keep the process.
    static let flushSeconds = 2.0

    init(_ file: FileHandle = .standardError) { self.file = file }

    /// Every line ends with a newline.
    ///
    /// - Parameter dropped: the line about so many that were dropped before this one was written.
    func write(_ line: [UInt8], dropped lost: @escaping @Sendable (Int) -> [UInt8]) {
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
            if dropped > 0 { put(lost(dropped)) }
        }
    }

    private func put(_ line: [UInt8]) { try? file.write(contentsOf: line) }

    /// Returns when everything is written, at the latest after so many seconds.
    func flush(within seconds: Double = flushSeconds) async {
        let (written, end) = AsyncStream.makeStream(of: Void.self)
        queue.async { end.finish() }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { end.finish() }
        for await _ in written {}
    }
}
