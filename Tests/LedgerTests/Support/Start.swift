import AppStore
import Ledger
import Testing

/// Where one interval of a history begins: since intervals are adjacent, the list of these is the
/// whole history.
struct Start: Hashable, Sendable, CustomTestStringConvertible {
    let state: ChainState
    let at: Timestamp

    init(_ state: ChainState, _ at: Timestamp) {
        self.state = state
        self.at = at
    }

    var testDescription: String { "\(state.rawValue) from \(at.testDescription)" }
}
