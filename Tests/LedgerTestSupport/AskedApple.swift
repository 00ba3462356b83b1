import AppStore
import AppStoreAPI
import AppleSync
import Intake
import Queries
import Simulator

/// A configurable Apple: simulated data of Production and Sandbox, faults, and a clock that
/// advances only by waiting.
package struct AskedApple: Sendable {
    package static let app = BundleId(MadeChain.app)
    package static let productionPlan = plan(.production, seed: 0)
    package static let production = ServedRecords(productionPlan)
    package static let sandbox = ServedRecords(plan(.sandbox, seed: 1))
    /// Made once: otherwise every Apple would try all its notifications again.
    private static let (attempts, sandboxAttempts) = (
        AttemptLog(delivering: production), AttemptLog(delivering: sandbox)
    )
    /// 2026-06-01: the time everywhere.
    package static let now = Timestamp(milliseconds: 1_780_272_000_000)

    private static func plan(_ environment: Environment, seed: UInt64) -> HistoryPlan {
        HistoryPlan(
            world: SubscriberWorld(bundleId: app), environment: environment, seed: seed,
            limit: .chains(40))
    }

    /// A chain with several transactions, the last of them a renewal.
    package static let longLife: String? = {
        var counts: [String: Int] = [:]
        var stream = HistoryStream(productionPlan)
        while case let page = stream.next(), !page.isEmpty {
            for entry in page {
                guard
                    case .notification(let notification, let transaction?, _) = entry.delivery
                        .evidence,
                    notification.notificationType == Raw(.didRenew),
                    entry.delivery.signedDate.map({ $0 <= now }) == true,
                    let id = transaction.originalTransactionId?.rawValue
                else { continue }
                counts[id, default: 0] += 1
            }
        }
        // Few enough for one page of Apple's.
        return counts.filter { (3...15).contains($0.value) }.keys.min()
    }()

    package let clock = ManualClock(AskedApple.now, sleeping: .advances)
    package let api: SimulatedAPI
    package let sandboxApi: SimulatedAPI
    package let transport: SimulatedTransport
    package let client: AppStoreServerAPIClient

    /// - Parameter books: `production` by default.
    package init(
        faults: [ServedFaultRule] = [], sandboxFaults: [ServedFaultRule] = [],
        books: ServedRecords? = nil, key: ServedKey = TestAuthority.key,
        onAnswer: @escaping @Sendable (TransportRequest, TransportResponse) async -> Void = {
            _, _ in
        },
        carrying: (SimulatedTransport) -> any APITransport = { $0 }
    ) throws {
        let clock = clock
        func served(
            _ books: ServedRecords, _ attempts: AttemptLog?, _ faults: [ServedFaultRule]
        ) -> SimulatedAPI {
            var setup = SimulatedAPI.Setup(
                books: books, key: TestAuthority.key, authority: TestAuthority.shared,
                attempts: attempts, storeClock: { clock.now }, clock: { clock.now })
            setup.faults = faults
            return SimulatedAPI(setup)
        }
        api = served(
            books ?? AskedApple.production, books == nil ? AskedApple.attempts : nil, faults)
        sandboxApi = served(AskedApple.sandbox, AskedApple.sandboxAttempts, sandboxFaults)
        transport = SimulatedTransport(
            production: api, sandbox: sandboxApi, onAnswer: onAnswer)
        client = AppStoreServerAPIClient(
            credentials: try key.credentials(AskedApple.app),
            transport: carrying(transport), clock: clock,
            policy: RetryPolicy(attempts: 2, firstWaitMilliseconds: 1, longestWaitMilliseconds: 1))
    }

    /// The ledgers of a test, for responses.
    package func books(_ ledger: TemporaryLedger) -> EnvironmentLedgers {
        EnvironmentLedgers(
            ledger.configuration, apps: ledger.configuration.apps, verifier: ledger.verifier,
            revocation: nil
        ) { [clock] in clock.now }
    }
}
