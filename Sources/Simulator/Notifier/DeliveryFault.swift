/// A fault of one attempt between Apple and the receiver.
public enum DeliveryFault: Sendable, Hashable {
    /// It never arrives, but Apple records SUCCESS: a proxy answered 200.
    case lost
    /// Apple starts it later by this time.
    case late(milliseconds: Int64)
    /// After its delivery it arrives again, later by this time.
    case duplicated(milliseconds: Int64)
    /// It arrives just after the notification that follows it.
    case reordered
    /// The receiver accepts it, and the response is lost: Apple retries.
    case dropped
    /// A proxy answers with this status.
    case refused(status: Int)
    /// No response.
    case unreachable
}
