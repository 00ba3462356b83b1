public import AppStore
public import AppStoreAPI
public import AppleSync
internal import Intake
import Signing
import Synchronization

/// The clients through which operators' acts reach Apple's API and the receivers of webhooks. Set
/// when the service starts, as far as they are configured.
public final class OperatorReach: Sendable {
    private struct State {
        var requests = ReceiptRequests()
        var endpoints: [WebhookEndpoint] = []
        var transport: (any APITransport)?
    }

    private let state = Mutex(State())

    init() {}

    /// Sets the clients of the apps that have a key, and the ledgers that take in Apple's answers
    /// about a purchase while a client waits; nil: Apple is not asked then.
    public func use(
        _ clients: [BundleId: AppStoreServerAPIClient], _ ledgers: EnvironmentLedgers? = nil
    ) {
        state.withLock { $0.requests = ReceiptRequests(clients: clients, ledgers: ledgers) }
    }

    /// Sets the configured endpoints, and their transport.
    public func use(_ endpoints: [WebhookEndpoint], _ transport: any APITransport) {
        state.withLock { ($0.endpoints, $0.transport) = (endpoints, transport) }
    }

    var requests: ReceiptRequests { state.withLock { $0.requests } }

    var clients: [BundleId: AppStoreServerAPIClient] { requests.clients }

    func endpoints(_ environment: Environment) -> [WebhookEndpoint] {
        state.withLock { $0.endpoints }.filter { $0.environment == environment }
    }

    var transport: (any APITransport)? { state.withLock { $0.transport } }
}

extension LedgerHost {
    /// Takes Apple's answers into the ledgers that are served.
    public func answerLedgers() -> EnvironmentLedgers {
        EnvironmentLedgers(
            configuration.ledger, apps: configuration.apps, verifier: verifier,
            revocation: revocation, ledgers: ledgers.map(\.ledger), clock: clock)
    }
}
