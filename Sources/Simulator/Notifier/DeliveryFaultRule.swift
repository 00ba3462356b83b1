public import AppStore

/// Which attempts meet a fault: nothing is left to chance. Notifications are counted in the order
/// in which Apple signed them, from 1.
public struct DeliveryFaultRule: Sendable, Equatable {
    /// Only this type, counted by itself; nil: all, counted together.
    public var type: NotificationType?
    /// The first notification that meets it.
    public var from = 1
    /// How many meet it; nil: all from there on.
    public var count: Int?
    /// Every so-manieth from there on.
    public var every = 1
    /// How many attempts of each meet it, from the first.
    public var attempts = 1
    public var fault: DeliveryFault

    /// A rule for the first attempt of every notification.
    public init(_ fault: DeliveryFault) { self.fault = fault }

    func hits(_ number: Int) -> Bool {
        ServedFaultRule.hits(number, from: from, every: every, count: count)
    }
}
