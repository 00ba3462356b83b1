import AppStore

/// One period in Apple's books: a transaction, or several after a restore.
struct SimulatedPeriod: Sendable {
    let product: SimulatedProduct
    /// The first is the purchase or renewal, the others are restores of it.
    var transactionIds: [TransactionId]
    /// The transaction Apple stated last: the one the ledger names (`lifecycle.md` §2 rule 2).
    var identity: TransactionId
    let webOrderLineItemId: WebOrderLineItemId?
    let start: Timestamp
    /// When a restored copy says it was bought; the restore's moment.
    var restoredAt: Timestamp?
    /// What `expiresDate` says.
    var statedEnd: Timestamp
    /// When the period truly ends, extensions included.
    var end: Timestamp
    let reason: TransactionReason
    let offer: SimulatedOffer?
    /// Which billing period of a commitment this is, from 1.
    let commitmentNumber: Int64?
    let commitmentEnd: Timestamp?
    var isUpgraded = false
    /// It came by DID_RENEW/BILLING_RECOVERY.
    var isRecovery = false
    var revocation: SimulatedRevocation?
    /// Snapshot dates of what Apple signed about it, in order.
    var stated: [Timestamp] = []
    /// Ordinals of the deliveries about it.
    var deliveries: [Int] = []

    var price: Int64 { offer?.price ?? product.price }
    var phase: TruePhase { offer?.phase ?? .standard }
    var length: Int64 { end.milliseconds(since: start) }
}
