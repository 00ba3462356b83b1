import AppStore
internal import AppleSync
import Ledger
internal import LedgerStore
internal import Projection
public import Queries

/// A query without an answer in one state; a later state may have one.
public struct MissingAnswer: Error {
    public let error: QueryError
    /// The position that the state includes.
    public let position: Int64
    /// Positions of the log beyond it.
    public let lag: Int64
    /// As `ServedLedger.age`; nil for the answer to a command.
    public var age: Duration?
}

extension ServedLedger {
    /// One chain by its originalTransactionId or any of its transactionIds, as in
    /// `LedgerSnapshot.reading`.
    ///
    /// Throws `QueryError` or `ServingError`; for an unknown id, `MissingAnswer` with the state
    /// that was searched.
    func reading(
        _ id: String, _ scope: QueryScope, _ snapshot: LedgerSnapshot, _ moment: Moment
    ) async throws -> ChainReading {
        do throws(QueryError) {
            return try await snapshot.reading(id, bundleId: scope.bundleId, moment: moment)
        } catch {
            switch error {
            case .noSuchSubscription, .unknownThen, .stateless, .pseudonym:
                throw MissingAnswer(
                    error: error, position: snapshot.position,
                    lag: lag(after: snapshot.position), age: age)
            case .ambiguousId, .invalidRange, .store: throw error
            }
        }
    }
}

/// Only a state that includes the events known at a time may answer what was known then: an older
/// state would lack them, and a repeated query would give another answer.
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
    /// Never beyond the current end of the log: later events are not waited for. While the log of
    /// other nodes cannot be read, its end is unknown: what they may have appended is waited for.
    func leastPosition(of knowledge: AsOf) async throws(StoreError) -> Int64? {
        switch knowledge {
        case .everything: return nil
        case .knownPosition(let position):
            if let projected = projectedPosition, position <= projected { return nil }
            return min(position, try await readableHead() ?? position)
        case .knownAt(let time):
            let projected = projectedPosition ?? 0
            guard let head = try await readableHead() else {
                let isKnown = projected >= self.head && lastRead.map { time < $0 } ?? false
                return isKnown ? nil : max(projected + 1, self.head)
            }
            guard projected < head else { return nil }
            let events = try await ledger.log.events(
                after: projected, through: head, damaged: .marked)
            // Later pages may hold earlier arrivals, as imports state them: requires all events.
            guard events.last?.position == head else { return head }
            return events.last { $0.receivedAt <= time }?.position
        }
    }
}

extension ServedLedger {
    /// As `snapshot`, with the longer wait of background work.
    ///
    /// - Parameter position: nil: the end of the log.
    func laterSnapshot(
        atLeast position: Int64? = nil
    ) async throws(StoreError) -> LedgerSnapshot {
        let position = if let position { position } else { try await ledger.log.head().position }
        do throws(ServingError) {
            return try await snapshot(
                atLeast: position, limit: .seconds(ReconcileLimits.projectionSeconds))
        } catch {
            throw StoreError(
                .fileLocked, path: ledger.directory,
                reason: "The projections did not reach position \(position) in time.",
                remedy: "They continue to catch up; the next round tries again.")
        }
    }
}
