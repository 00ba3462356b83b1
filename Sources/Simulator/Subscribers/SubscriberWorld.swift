public import AppStore

/// The app, its products and its customers: a seed names one customer's life.
///
/// Everything follows from the seed; there is no clock and no other randomness. Two seeds never
/// share an id.
public struct SubscriberWorld: Sendable {
    /// The one app of this world.
    public let bundleId: BundleId
    /// The app's number, part of every notification.
    public let appAppleId: Int64
    /// When first purchases are made.
    public let firstPurchases: ClosedRange<Timestamp>
    /// Periods that would end later are not followed to their end; a billing retry that starts
    /// before may still run for up to its 90 days.
    public let horizon: Timestamp

    /// 2022-01-01 to 2026-01-01, UTC.
    public static let defaultFirstPurchases =
        Timestamp(milliseconds: 1_640_995_200_000)...Timestamp(milliseconds: 1_767_225_600_000)

    /// 2026-08-01, UTC.
    public static let defaultHorizon = Timestamp(milliseconds: 1_785_542_400_000)

    /// How long lives are followed after the last first purchase, by default.
    public static let followedMilliseconds = defaultHorizon.milliseconds(
        since: defaultFirstPurchases.upperBound)

    /// An app, the time of its customers' first purchases, and how long they are followed.
    public init(
        bundleId: BundleId = BundleId("com.example.app"), appAppleId: Int64 = 1_234_567_890,
        firstPurchases: ClosedRange<Timestamp> = SubscriberWorld.defaultFirstPurchases,
        horizon: Timestamp = SubscriberWorld.defaultHorizon
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.firstPurchases = firstPurchases
        self.horizon = horizon
    }

    /// The life of a seed; the same each time.
    public func life(seed: UInt64) -> SubscriberLife {
        var writer = LifeWriter(world: self, seed: seed)
        writer.live()
        return writer.finished()
    }
}
