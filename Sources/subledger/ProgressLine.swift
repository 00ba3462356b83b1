import Foundation
import Queries
import Synchronization

/// Progress on standard error: redrawn in place on a terminal, a line every few seconds otherwise.
final class ProgressLine: Sendable {
    private let started = ContinuousClock.now
    private let last = Mutex<ContinuousClock.Instant?>(nil)
    private let isTerminal = isatty(STDERR_FILENO) == 1

    private static let terminalInterval = Duration.milliseconds(100)
    private static let logInterval = Duration.seconds(3)

    /// Shows `text` unless the last line is too recent; always cheap.
    func show(_ text: @autoclosure () -> String) {
        let now = ContinuousClock.now
        let interval = isTerminal ? ProgressLine.terminalInterval : ProgressLine.logInterval
        let isDue = last.withLock { last in
            guard now - (last ?? started) >= interval else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        let text = text().printable
        let line = isTerminal ? "\r\u{1B}[K\(text)" : text + "\n"
        try? FileHandle.standardError.write(contentsOf: Array(line.utf8))
    }

    /// Clears the line drawn in place.
    func end() {
        guard isTerminal, last.withLock({ $0 != nil }) else { return }
        try? FileHandle.standardError.write(contentsOf: Array("\r\u{1B}[K".utf8))
    }
}
