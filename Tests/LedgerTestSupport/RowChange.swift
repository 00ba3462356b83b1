import AppStore
import Ledger
import LedgerStore
import Signing

/// A change of one column of a row, which then says something else than its evidence.
package struct RowChange: Sendable {
    package let name: String
    package let apply: @Sendable (inout NewEvent) -> Void

    private init(_ name: String, _ apply: @escaping @Sendable (inout NewEvent) -> Void) {
        self.name = name
        self.apply = apply
    }

    /// Changes of the row of a signed notification about a subscription.
    package static let all = [
        RowChange("key") { $0.key = SHA256.hash([1]) },
        RowChange("trust transport") { $0.attributes.trust = .transport },
        RowChange("trust secret") { $0.attributes.trust = .secret },
        RowChange("trust operator") { $0.attributes.trust = .operator },
        RowChange("trust xcode") { $0.attributes.trust = .xcode },
        RowChange("chain") { $0.attributes.chain = OriginalTransactionId("777000777") },
        RowChange("no chain") { $0.attributes.chain = nil },
        RowChange("type") { $0.attributes.notificationType = "REFUND" },
        RowChange("subtype") { $0.attributes.subtype = "RESUBSCRIBE" },
        RowChange("UUID") { $0.attributes.notificationUUID = NotificationUUID("777") },
        RowChange("signedAt") { $0.attributes.signedAt = Timestamp(milliseconds: 1) },
        RowChange("root") { $0.attributes.rootFingerprint = SHA256.hash([1]) },
    ]
}
