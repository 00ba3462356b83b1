internal import AppStore

/// A payload that a notification may contain, with the values that must match its envelope.
protocol NestedPayload: WireObject {
    var signedDate: Timestamp? { get }
    var environment: Raw<Environment>? { get }
    /// Nil if it names no app.
    var bundleId: BundleId? { get }
}

extension TransactionPayload: NestedPayload {}

extension RenewalPayload: NestedPayload {
    var bundleId: BundleId? { nil }
}

extension AppTransactionPayload: NestedPayload {
    var signedDate: Timestamp? { receiptCreationDate }
    var environment: Raw<Environment>? { receiptType }
}
