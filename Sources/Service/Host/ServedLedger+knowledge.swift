import AppStore
import Ledger
internal import LedgerStore
internal import Projection

/// Only a state that includes the events known at a time may answer what was known then: an older
/// state would deny them, and a repeated query would give another answer.
extension ServedLedger {
    /// The state for a query: it includes `minPosition` and everything that may have been known at
    /// the limit. Waits `waitLimit` for it.
    ///
    /// Throws `projectionBehind`, or `StoreError` when the log cannot be read.
    func snapshot(for scope: QueryScope) async throws -> LedgerSnapshot {
        let least = try await leastPosition(of: scope.knowledge)
        return try await snapshot(atLeast: max(scope.minPosition ?? 0, least ?? 0))
    }

    /// The position a state must include to answer what was known; nil when any state can.
    ///
    /// Never beyond the current end of the log: later events are not waited for.
    func leastPosition(of knowledge: AsOf) async throws(StoreError) -> Int64? {
        switch knowledge {
        case .everything: return nil
        case .knownPosition(let position):
            if let projected = projectedPosition, position <= projected { return nil }
            return min(position, try await reachableHead())
        case .knownAt(let time):
            let projected = projectedPosition ?? 0
            let head = try await reachableHead()
            guard projected < head else { return nil }
            let events = try await ledger.log.events(
                after: projected, through: head, damaged: .marked)
            // Beyond one page any event may have arrived by then: an import dates its lines.
            guard events.last?.position == head else { return head }
            return events.last { $0.receivedAt <= time }?.position
        }
    }
}
