public import AppStore

/// The app, its products and its customers: a seed names one customer's life.
///
/// Everything follows from the seed; there is no clock and no other chance. Two seeds never share
/// an id.
public struct SubscriberWorld: Sendable {
    /// The one app of this world.
    public let bundleId: BundleId
    /// The app's number, stated in every notification.
    public let appAppleId: Int64
    /// When first purchases are made.
    public let firstPurchases: ClosedRange<Timestamp>
    /// No period that would end later is followed to its end; a billing retry that begins before
    /// may still run for up to its 90 days.
    public let horizon: Timestamp

    /// 2022-01-01 to 2026-01-01, UTC.
    public static let defaultFirstPurchases =
        Timestamp(milliseconds: 1_640_995_200_000)...Timestamp(milliseconds: 1_767_225_600_000)

    /// 2026-08-01, UTC.
    public static let defaultHorizon = Timestamp(milliseconds: 1_785_542_400_000)

    /// How long lives are followed after the last first purchase, unless said: as by default.
    public static let followedMilliseconds = defaultHorizon.milliseconds(
        since: defaultFirstPurchases.upperBound)

    /// An app, the time in which its customers first buy, and how long they are followed.
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

    /// Everything the app sells: the catalogue an operator would configure.
    public var products: [SimulatedProduct] { SimulatedProduct.catalogue }

    /// Where the life that the seed names takes place, without living it.
    public func environment(seed: UInt64) -> Environment {
        var random = SeededGenerator(seed: seed)
        // As `LifeWriter` draws: details have a seed of their own, taken first.
        _ = random.next()
        return LifeTraits(&random).pace.environment
    }

    /// The life the seed names; the same one every time.
    public func life(seed: UInt64) -> SubscriberLife {
        var writer = LifeWriter(world: self, seed: seed)
        writer.live()
        return writer.finished()
    }
}
