/// Evidence of a kind that was told from its verified payload.
public enum VerifiedEvidence: Sendable {
    case notification(VerifiedNotification)
    case transaction(VerifiedTransaction)
    case appTransaction(VerifiedAppTransaction)
}
