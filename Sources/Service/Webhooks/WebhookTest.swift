import AppStore
import Ledger
public import LedgerStore
public import Queries
import Signing

/// Posts one message of type `test`, to check whether an endpoint accepts and verifies it.
public struct WebhookTest: Sendable {
    let endpoint: WebhookEndpoint
    let transport: any WebhookTransport
    let clock: any ServiceClock

    public init(
        endpoint: WebhookEndpoint, transport: any WebhookTransport, clock: any ServiceClock
    ) {
        self.endpoint = endpoint
        self.transport = transport
        self.clock = clock
    }

    /// Returns the outcome. A disabled endpoint that accepts the message is enabled again and
    /// continues at its cursor.
    public func run(_ operations: any OperationalState) async throws(StoreError) -> WebhookOutcome {
        let now = clock.now
        var json = JSONWriter()
        json.object { json in
            json.member("type", "test")
            json.member("timestamp", now)
            json.object("data") { json in
                json.member("environment", endpoint.environment.rawValue)
                json.member("endpoint", endpoint.name)
            }
        }
        let id = "tst_" + SHA256.hash(json.bytes).hexadecimal.prefix(32)
        let outcome = await transport.post(endpoint.request(id: id, body: json.bytes, at: now))
        if outcome.isSuccess { try await operations.enableWebhook(endpoint.name) }
        return outcome
    }
}
