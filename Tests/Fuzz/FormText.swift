import AppStore

@testable import LedgerService

/// A submission as plain values, for comparing.
struct FormText: Equatable {
    var parts: [[UInt8]] = []
    var status: Int64?
    var receivedAt: Timestamp?

    init() {}

    init(_ submission: Submission) {
        receivedAt = submission.claimedReceivedAt
        switch submission.form {
        case .jws(let token), .transaction(let token): parts = [token]
        case .pair(let transaction, let renewal, let status):
            parts = [transaction, renewal]
            self.status = status
        case .unreadable(let message, let bytes): parts = [Array(message.utf8), bytes]
        }
    }
}
