public import AppStore

/// One piece of evidence on its way to the ledger: decoded, not yet signed.
public struct Delivery: Hashable, Sendable {
    /// Identifies the evidence within its life; a repetition has the same.
    public let ordinal: Int
    /// When it reached the ledger.
    public var receivedAt: Timestamp
    /// The content to be signed.
    public let evidence: Evidence

    /// The kind of evidence, as the ledger's log distinguishes it.
    public enum Evidence: Hashable, Sendable {
        /// A V2 notification; the nested payloads are not yet in `data`.
        case notification(NotificationPayload, TransactionPayload?, RenewalPayload?)
        /// A single signed transaction: API history, or an upload from the app.
        case transaction(TransactionPayload)
        /// An item of `lastTransactions`, with Apple's unsigned status.
        case pair(TransactionPayload, RenewalPayload, Raw<SubscriptionStatus>?)
    }

    /// A delivery of decoded evidence.
    public init(ordinal: Int, receivedAt: Timestamp, evidence: Evidence) {
        self.ordinal = ordinal
        self.receivedAt = receivedAt
        self.evidence = evidence
    }

    /// The transaction inside, if there is one.
    public var transaction: TransactionPayload? {
        switch evidence {
        case .notification(_, let transaction, _): transaction
        case .transaction(let transaction), .pair(let transaction, _, _): transaction
        }
    }

    /// The renewal info inside, if there is one.
    public var renewal: RenewalPayload? {
        switch evidence {
        case .notification(_, _, let renewal): renewal
        case .transaction: nil
        case .pair(_, let renewal, _): renewal
        }
    }

    /// The envelope's signedDate, else the largest inside it (`Lifecycle.md` §2 rule 1).
    public var signedDate: Timestamp? {
        if case .notification(let notification, _, _) = evidence, let date = notification.signedDate
        {
            return date
        }
        return [transaction?.signedDate, renewal?.signedDate].compactMap { $0 }.max()
    }

    /// Sorts by `receivedAt`; stable.
    public static func inOrderOfArrival(_ deliveries: [Delivery]) -> [Delivery] {
        deliveries.enumerated().sorted { left, right in
            (left.element.receivedAt, left.offset) < (right.element.receivedAt, right.offset)
        }.map(\.element)
    }
}
