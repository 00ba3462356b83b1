public import AppStore
import AppStoreAPI
import Foundation
public import Intake
public import Queries

/// A configured receiver of changes: its address, its filter and the secrets that sign messages.
public struct WebhookEndpoint: Sendable, Equatable {
    public let name: String
    public let url: String
    public let environment: Environment
    public let filter: ChangeFilter
    public let secret: WebhookSecret

    /// Every configured endpoint with its secret. Throws `ConfigurationError` that names the key.
    public static func endpoints(
        of configuration: ServiceConfiguration
    ) throws(ConfigurationError) -> [WebhookEndpoint] {
        var endpoints: [WebhookEndpoint] = []
        for (index, webhook) in configuration.webhooks.enumerated() {
            endpoints.append(
                WebhookEndpoint(
                    name: webhook.name, url: webhook.url, environment: webhook.environment,
                    filter: ChangeFilter(names: webhook.types, bundleId: webhook.bundleId),
                    secret: try WebhookSecret(
                        file: webhook.secretFile, key: "webhooks[\(index)].secretFile")))
        }
        return endpoints
    }

    /// The request for a change, signed for this time. Id and body are the same in every attempt.
    func request(_ change: FeedChange, at now: Timestamp) -> TransportRequest {
        request(id: change.id, body: change.body(filter), at: now)
    }

    func request(id: String, body: [UInt8], at now: Timestamp) -> TransportRequest {
        let seconds = now.milliseconds / 1_000
        let signature = secret.signature(id: id, timestamp: seconds, body: body)
        return TransportRequest(
            method: "POST", url: url,
            headers: [
                .init("content-type", "application/json"), .init("user-agent", "subledger"),
                .init("webhook-id", id), .init("webhook-timestamp", String(seconds)),
                .init("webhook-signature", signature),
            ], body: body)
    }
}
