import AppStore
internal import LedgerStore
import Synchronization

/// Bounds how many requests for retention messages read the ledger at once, and holds their records
/// until they are written, so that no answer waits for a disk.
final class RetentionAnswers: Sendable {
    private struct State {
        var readings = 0
        var waiting: [Environment: [RetentionRecord]] = [:]
        var writing: Set<Environment> = []
    }

    private let state = Mutex(State())

    /// Most requests that read the ledger at once; others get no message.
    static let readingCount = 256
    /// Most records waiting to be written in one environment; others are not kept.
    static let waitingCount = 20_000
    /// Most records written in one transaction.
    static let pageCount = 500

    /// Whether there is room for one more; `endReading` ends it.
    func beginReading() -> Bool {
        state.withLock { state in
            guard state.readings < RetentionAnswers.readingCount else { return false }
            state.readings += 1
            return true
        }
    }

    func endReading() { state.withLock { $0.readings -= 1 } }

    /// Whether the caller has to start a writer, which calls `page` until it is empty.
    func add(_ record: RetentionRecord, in environment: Environment) -> Bool {
        state.withLock { state in
            if state.waiting[environment, default: []].count < RetentionAnswers.waitingCount {
                state.waiting[environment, default: []].append(record)
            }
            return state.writing.insert(environment).inserted
        }
    }

    /// The next records to write; an empty page ends the writer.
    func page(in environment: Environment) -> [RetentionRecord] {
        state.withLock { state in
            let waiting = state.waiting[environment] ?? []
            let page = Array(waiting.prefix(RetentionAnswers.pageCount))
            state.waiting[environment] = Array(waiting.dropFirst(page.count))
            if page.isEmpty { state.writing.remove(environment) }
            return page
        }
    }

    /// Forgets what was not written.
    func removeAll(in environment: Environment) {
        state.withLock { _ = $0.waiting.removeValue(forKey: environment) }
    }
}
