import AppStore
import AppStoreAPI
import Intake
import Ledger
import LedgerTestSupport
import Signing
import Simulator

/// A few subscribers of one environment, and everything that Apple and their apps send about them.
struct SmallWorld: Sendable {
    static let signer = DeliverySigner(
        authority: TestAuthority.shared, appAppleId: SmallWorld.subscribers.appAppleId)

    /// First purchases in the quarter from 2024-01-01 on; lives last for years.
    static let subscribers = SubscriberWorld(firstPurchases: firstPurchases)
    /// The same for a few months: most cases occur within them.
    private static let newcomers = SubscriberWorld(
        firstPurchases: firstPurchases, horizon: Timestamp(milliseconds: 1_719_792_000_000))
    private static let firstPurchases =
        Timestamp(milliseconds: 1_704_067_200_000)...Timestamp(milliseconds: 1_711_843_200_000)
    /// Lives per world, and their frequency.
    private static let lifeCounts = [(1, 55), (2, 33), (3, 8), (4, 4)]

    let environment: Environment
    let lives: [SubscriberLife]
    let books: ServedRecords

    init(_ random: inout SeededGenerator, seed: UInt64) {
        let environment: Environment = random.chance(75) ? .production : .sandbox
        let count = random.pick(weighted: SmallWorld.lifeCounts)
        let world = random.chance(8) ? SmallWorld.subscribers : SmallWorld.newcomers
        var lives: [SubscriberLife] = []
        var next = seed &* 1_000
        while lives.count < count {
            if world.environment(seed: next) == environment {
                lives.append(world.life(seed: next))
            }
            next += 1
        }
        self.environment = environment
        self.lives = lives
        books = ServedRecords(lives, of: world, in: environment)
    }

    /// Everything that apps and their back ends send, in order: all deliveries but notifications.
    var uploads: [Delivery] {
        lives.flatMap(\.deliveries).filter { delivery in
            if case .notification = delivery.evidence { false } else { true }
        }.sorted {
            ($0.receivedAt.milliseconds, $0.ordinal) < ($1.receivedAt.milliseconds, $1.ordinal)
        }
    }

    /// How long Apple keeps notifications (App Store Server API), milliseconds.
    var windowMilliseconds: Int64 { (environment == .production ? 180 : 30) * 86_400_000 }

    func configuration(_ directory: String) -> Configuration {
        var configuration = Configuration(
            dataDirectory: directory,
            apps: [
                Configuration.App(
                    bundleId: SmallWorld.subscribers.bundleId,
                    appAppleId: SmallWorld.subscribers.appAppleId)
            ])
        configuration.catalogue = .simulated
        return configuration
    }

    static func credentials() throws -> APICredentials {
        try TestAuthority.key.credentials(subscribers.bundleId)
    }
}
