public import AppStore
public import Ledger

/// Which events an answer may use (`lifecycle.md` §1): all, those received by a time, or those up
/// to a position.
public enum KnowledgeLimit: Sendable, Hashable {
    case everything
    case knownAt(Timestamp)
    case knownPosition(Int64)

    public func admits(_ fact: Fact) -> Bool {
        switch self {
        case .everything: true
        case .knownAt(let time): fact.receivedAt <= time
        case .knownPosition(let position): fact.position <= position
        }
    }

    /// The position an answer under this limit is computed at.
    func position(head: Int64) -> Int64 {
        guard case .knownPosition(let position) = self else { return head }
        return min(max(position, 0), head)
    }

    var knownAt: Timestamp? {
        guard case .knownAt(let time) = self else { return nil }
        return time
    }
}
