internal import AppStore

/// A payload that a notification may contain, by what it must agree with its envelope in.
protocol NestedPayload: WireObject {
    /// When Apple signed it.
    var dateOfSigning: Timestamp? { get }
    var statedEnvironment: Raw<Environment>? { get }
    /// Nil if it names no app.
    var statedApp: BundleId? { get }
}

extension TransactionPayload: NestedPayload {
    var dateOfSigning: Timestamp? { signedDate }
    var statedEnvironment: Raw<Environment>? { environment }
    var statedApp: BundleId? { bundleId }
}

extension RenewalPayload: NestedPayload {
    var dateOfSigning: Timestamp? { signedDate }
    var statedEnvironment: Raw<Environment>? { environment }
    var statedApp: BundleId? { nil }
}

extension AppTransactionPayload: NestedPayload {
    var dateOfSigning: Timestamp? { receiptCreationDate }
    var statedEnvironment: Raw<Environment>? { receiptType }
    var statedApp: BundleId? { bundleId }
}
