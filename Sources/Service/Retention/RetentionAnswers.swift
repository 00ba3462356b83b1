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
        /// The caller has to start a writer, which calls `page` until that is nil.
        case needsWriter
        /// It is not kept.
        case full
    }

    private struct State {
        var workCount = 0
        var waiting: [Environment: [(record: RetentionRecord, position: Int64)]] = [:]
        var writing: Set<Environment> = []
    }

    private let state = Mutex(State())

    /// Most requests that read the ledger or wait for a responder at once; others get no message.
    static let workCount = 256
    /// Most records waiting to be written in one environment.
    static let waitingCount = 20_000
    /// Most records written in one transaction.
    static let pageCount = 500

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

    /// The next records to write; nil ends the writer.
    func page(in environment: Environment) -> Page? {
        state.withLock { state in
            // Taken out, so that no record is copied.
            var waiting = state.waiting.removeValue(forKey: environment) ?? []
            guard !waiting.isEmpty else {
                state.writing.remove(environment)
                return nil
            }
            var page = Page()
            for (record, position) in waiting.prefix(RetentionAnswers.pageCount) {
                page.records.append(record)
                page.position = min(page.position, position)
            }
            waiting.removeFirst(page.records.count)
            state.waiting[environment] = waiting
            return page
        }
    }
}
