/// What goes wrong with an attempt on its way from Apple to the receiver.
public enum DeliveryFault: Sendable, Hashable {
    /// It never arrives, though Apple notes SUCCESS: something in front of the receiver said 200.
    case lost
    /// Apple begins it so much later.
    case late(milliseconds: Int64)
    /// After it was taken it comes once more, so much later.
    case duplicated(milliseconds: Int64)
    /// It comes just after the notification that was to follow it.
    case reordered
    /// The receiver takes it, and its answer is lost: Apple tries again.
    case dropped
    /// Something in front of the receiver answers with this status.
    case refused(status: Int)
    /// Nothing answers.
    case unreachable
}
