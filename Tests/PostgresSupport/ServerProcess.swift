import Dispatch
import Foundation
import Synchronization

/// A server with a thread as its parent, which waits for its end: the server is signalled when that
/// thread ends with the test process, even if that is killed.
final class ServerProcess: Sendable {
    private let process = Mutex<pid_t?>(nil)
    private let started = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(_ words: [String], log: String) {
        let thread = Thread { [self] in
            let started = try? Program.start(words, output: log, errors: log)
            process.withLock { $0 = started }
            self.started.signal()
            if let started { Program.wait(for: started) }
            process.withLock { $0 = nil }
            ended.signal()
        }
        thread.name = "test-postgres"
        thread.start()
        started.wait()
    }

    /// Whether it ended, by itself or by a signal.
    var hasEnded: Bool { process.withLock { $0 == nil } }

    /// Blocks until it ended.
    func end(_ signal: Int32) {
        guard send(signal) else { return }
        guard ended.wait(timeout: .now() + .seconds(30)) == .timedOut, send(SIGKILL) else { return }
        ended.wait()
    }

    /// False when it ended before.
    private func send(_ signal: Int32) -> Bool {
        process.withLock { process in
            if let process { kill(process, signal) }
            return process != nil
        }
    }
}
