/// Evidence of a kind recognised from its verified payload.
public enum VerifiedEvidence: Sendable {
    case notification(VerifiedNotification)
    case transaction(VerifiedTransaction)
    case appTransaction(VerifiedAppTransaction)
}
