import AppStore
import Ledger
import Testing

/// State and start of one interval; since intervals are adjacent, a list of these is the whole
/// history.
struct Start: Hashable, Sendable, CustomTestStringConvertible {
    let state: ChainState
    let at: Timestamp

    init(_ state: ChainState, _ at: Timestamp) {
        self.state = state
        self.at = at
    }

    var testDescription: String { "\(state.rawValue) from \(at.testDescription)" }
}
