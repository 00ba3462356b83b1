import AppStore
internal import Ledger
internal import LedgerStore
internal import Projection
internal import SQLiteStore

/// What was known is said only by a state that holds it: an older one would say that it was not, and
/// something else when asked again.
extension ServedLedger {
    /// The state that a question rests on: it holds `minPosition`, and everything that may have been
    /// known by then. Waits `waitLimit` for it.
    ///
    /// Throws `projectionBehind`, or `StoreError` when the log cannot be read.
    func snapshot(for scope: QuestionScope) async throws -> LedgerSnapshot {
        let least = try await leastPosition(of: scope.knowledge)
        return try await snapshot(atLeast: max(scope.minPosition ?? 0, least ?? 0))
    }

    /// The position a state has to hold before it can say what was known; nil when every one can.
    ///
    /// Never beyond the log's end at this moment: what comes later is not waited for.
    func leastPosition(of knowledge: KnowledgeLimit) async throws(StoreError) -> Int64? {
        switch knowledge {
        case .everything: return nil
        case .knownPosition(let position):
            if let projected = projectedPosition, position <= projected { return nil }
            return min(position, try await ledger.log.head().position)
        case .knownAt(let time):
            let projected = projectedPosition ?? 0
            let head = try await ledger.log.head().position
            guard projected < head else { return nil }
            let events = try await ledger.log.events(
                after: projected, through: head, damaged: .marked)
            // Of more than one page anything may have arrived by then: an import dates its lines.
            guard events.last?.position == head else { return head }
            return events.last { $0.receivedAt <= time }?.position
        }
    }
}
