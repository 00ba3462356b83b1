public import AppStore

/// Selects the attempts that get a fault, without randomness. Notifications are counted in the
/// order Apple signed them, from 1.
public struct DeliveryFaultRule: Sendable, Equatable {
    /// Only this type, counted separately; nil: all, counted together.
    public var type: NotificationType?
    /// The first affected notification.
    public var from = 1
    /// Number of affected ones; nil for all from there on.
    public var count: Int?
    /// Affects every nth from there on.
    public var every = 1
    /// Number of affected attempts of each, from the first.
    public var attempts = 1
    public var fault: DeliveryFault

    /// A rule for the first attempt of every notification.
    public init(_ fault: DeliveryFault) { self.fault = fault }

    func hits(_ number: Int) -> Bool {
        ServedFaultRule.hits(number, from: from, every: every, count: count)
    }
}
