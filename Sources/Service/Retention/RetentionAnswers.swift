import AppStore
internal import LedgerStore
import Synchronization

/// Bounds the work for requests for retention messages, and holds their records until they are
/// written, so that no answer waits for a disk.
final class RetentionAnswers: Sendable {
    /// Records to write.
    struct Page: Equatable {
        var records: [RetentionRecord] = []
        /// The oldest position that an answer includes.
        var position: Int64 = .max
    }

    /// What happens to a record.
    enum Admission {
        /// A writer takes it.
        case waits
        /// The caller has to start a writer, which calls `drain`.
        case needsWriter
        /// It is not kept.
        case full
    }

    private struct State {
        var workCount = 0
        /// Also those that are being written.
        var waiting: [Environment: [(record: RetentionRecord, position: Int64)]] = [:]
        var writing: Set<Environment> = []
    }

    private let state = Mutex(State())

    /// Most requests that read the ledger or wait for a responder at once; others get no message.
    static let workCount = 256
    /// Most records in one environment that are not written yet.
    static let waitingCount = 20_000
    /// Most records written in one transaction.
    static let pageCount = 500
    /// Wait after a page that was not full, so that one transaction holds many records.
    static let writeInterval: Duration = .milliseconds(100)
    /// Wait after a page that could not be written.
    static let retryInterval: Duration = .seconds(1)
    /// Failed writes in a row after which a page is dropped: ten minutes.
    static let attemptCount = 600

    /// Whether there is room for one more; `endWork` ends it.
    func beginWork() -> Bool {
        state.withLock { state in
            guard state.workCount < RetentionAnswers.workCount else { return false }
            state.workCount += 1
            return true
        }
    }

    func endWork() { state.withLock { $0.workCount -= 1 } }

    /// - Parameter position: that the answer includes.
    func add(
        _ record: RetentionRecord, at position: Int64, in environment: Environment
    ) -> Admission {
        state.withLock { state in
            guard state.waiting[environment]?.count ?? 0 < RetentionAnswers.waitingCount else {
                return .full
            }
            state.waiting[environment, default: []].append((record, position))
            return state.writing.insert(environment).inserted ? .needsWriter : .waits
        }
    }

    /// Writes all that waits. A page that could not be written is written again after a pause, up
    /// to `attemptCount` times and until the task is cancelled.
    ///
    /// - Parameters:
    ///   - write: returns whether the page is stored.
    ///   - lost: called with a number of records that were dropped.
    func drain(
        _ environment: Environment, write: (Page) async -> Bool,
        pause: (Duration) async -> Void, lost: (Int) -> Void
    ) async {
        var failureCount = 0
        while let page = page(in: environment) {
            if await write(page) {
                failureCount = 0
                remove(page.records.count, in: environment)
                if page.records.count == RetentionAnswers.pageCount { continue }
                await pause(RetentionAnswers.writeInterval)
                continue
            }
            if Task.isCancelled { return lost(drop(in: environment)) }
            failureCount += 1
            if failureCount == RetentionAnswers.attemptCount {
                failureCount = 0
                remove(page.records.count, in: environment)
                lost(page.records.count)
            }
            await pause(RetentionAnswers.retryInterval)
        }
    }

    /// The oldest records; nil, and the writer ends, where none wait.
    private func page(in environment: Environment) -> Page? {
        state.withLock { state in
            let waiting = state.waiting[environment] ?? []
            guard !waiting.isEmpty else {
                state.writing.remove(environment)
                return nil
            }
            var page = Page()
            for (record, position) in waiting.prefix(RetentionAnswers.pageCount) {
                page.records.append(record)
                page.position = min(page.position, position)
            }
            return page
        }
    }

    /// Removes the oldest records.
    private func remove(_ count: Int, in environment: Environment) {
        state.withLock { $0.waiting[environment, default: []].removeFirst(count) }
    }

    /// Removes every record, and ends the writer.
    private func drop(in environment: Environment) -> Int {
        state.withLock { state in
            state.writing.remove(environment)
            return state.waiting.removeValue(forKey: environment)?.count ?? 0
        }
    }
}
