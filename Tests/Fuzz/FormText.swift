import AppStore
import Signing

@testable import Intake

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
        // The same receipt, always in base64.
        case .receipt(let bytes):
            parts = [Array("receipt".utf8), (try? ReceiptForm.decode(bytes)) ?? bytes]
        // Sealed with a new seal each time it is stored.
        case .notificationV1: parts = [Array("notificationV1".utf8)]
        case .verifyReceipt(let body): parts = [Array("verifyReceipt".utf8), body]
        case .unreadable(let message, let bytes): parts = [Array(message.utf8), bytes]
        }
    }
}
