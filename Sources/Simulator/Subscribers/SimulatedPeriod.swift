import AppStore

/// One period in Apple's books: a transaction, or several after a restore.
package struct SimulatedPeriod: Sendable {
    let product: SimulatedProduct
    /// The first is the purchase or renewal, the others are restores of it.
    var transactionIds: [TransactionId]
    /// The transaction Apple stated last.
    var identity: TransactionId
    let webOrderLineItemId: WebOrderLineItemId?
    let start: Timestamp
    /// purchaseDate of a restored copy: the time of the restore.
    var restoredAt: Timestamp?
    /// The value of `expiresDate`.
    var statedEnd: Timestamp
    /// When the period ends, extensions included.
    var end: Timestamp
    let reason: TransactionReason
    let offer: SimulatedOffer?
    /// The number of this billing period in a commitment, from 1.
    let commitmentNumber: Int64?
    let commitmentEnd: Timestamp?
    var isUpgraded = false
    /// Whether it began with DID_RENEW/BILLING_RECOVERY.
    var isRecovery = false
    var revocation: SimulatedRevocation?
    /// Snapshot dates of what Apple signed about it, in order.
    var stated: [Timestamp] = []
    /// Ordinals of the deliveries about it.
    var deliveries: [Int] = []

    package var price: Int64 { offer?.price ?? product.price }
    package var phase: TruePhase { offer?.phase ?? .standard }
    var length: Int64 { end.milliseconds(since: start) }
}
