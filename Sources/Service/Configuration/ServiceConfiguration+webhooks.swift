public import AppStore
internal import AppStoreAPI
import Foundation
internal import Intake
public import Ledger
import Signing

extension ServiceConfiguration {
    /// An endpoint that receives changes.
    public struct Webhook: Sendable, Equatable {
        /// Names its cursor: a new name starts at the end of the log.
        public var name: String
        public var url: String
        public var secretFile: String
        /// Nil: all types.
        public var types: Set<ChangeName>?
        public var environment = Environment.production
        /// Nil: all apps.
        public var bundleId: BundleId?

        /// An endpoint with a name that no other has. The address is https; plain http only on
        /// loopback. The values are not checked as those of a file are.
        public init(
            name: String, url: String, secretFile: String, types: Set<ChangeName>? = nil,
            environment: Environment = .production, bundleId: BundleId? = nil
        ) {
            self.name = name
            self.url = url
            self.secretFile = secretFile
            self.types = types
            self.environment = environment
            self.bundleId = bundleId
        }
    }

    /// A warning for each endpoint of an environment that is not served, which gets nothing.
    public func idleWebhookWarnings(serving served: [Environment]) -> [String] {
        webhooks.filter { !served.contains($0.environment) }.map { webhook in
            """
            Nothing is delivered to the webhook \(webhook.name), which is of \
            \(webhook.environment.rawValue), an environment that is not served: add it with serve \
            --environment, or remove the endpoint.
            """
        }
    }

    static func webhooks(_ list: [YAMLMapping]) throws(ConfigurationError) -> [Webhook] {
        guard list.count <= WebhookLimits.endpointCount else {
            throw ConfigurationError(
                .invalidValue, key: "webhooks",
                reason: "At most \(WebhookLimits.endpointCount) endpoints.")
        }
        var webhooks: [Webhook] = []
        for var entry in list {
            let url = try entry.required("url")
            guard let host = webhookHost(url) else {
                throw entry.invalid(
                    "url",
                    "An https address without user, password and fragment is expected;"
                        + " plain http only on loopback; a port is 1 to 65535.")
            }
            var webhook = Webhook(
                name: try entry.text("name") ?? defaultName(url, host), url: url,
                secretFile: try entry.required("secretFile"))
            let isUsable =
                (1...100).contains(webhook.name.utf8.count)
                && webhook.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            guard isUsable, !webhooks.contains(where: { $0.name == webhook.name }) else {
                throw entry.invalid(
                    "name", "A unique name is expected: ASCII without spaces, at most 100.")
            }
            webhook.types = try types(&entry)
            webhook.environment = try entry.environment("environment") ?? .production
            webhook.bundleId = try entry.text("bundleId").map { BundleId($0) }
            try entry.requireNothingElse()
            webhooks.append(webhook)
        }
        return webhooks
    }

    private static func types(
        _ entry: inout YAMLMapping
    ) throws(ConfigurationError) -> Set<ChangeName>? {
        let texts = try entry.values("types")
        guard !texts.isEmpty else { return nil }
        var names: Set<ChangeName> = []
        for text in texts {
            guard let name = ChangeName(rawValue: text) else {
                throw entry.invalid(
                    "types",
                    "\(text.prefix(40)) is not a change name; the names are "
                        + ChangeName.allCases.map(\.rawValue).joined(separator: ", ") + ".")
            }
            names.insert(name)
        }
        return names
    }

    /// The host of an address that may be posted to; nil for any other address.
    static func webhookHost(_ url: String) -> String? {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.fragment == nil, parts.hasUsablePort
        else { return nil }
        switch parts.scheme {
        case "https": return host
        case "http":
            let isLoopback = NetworkRange.isLoopback(
                host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")))
            return isLoopback ? host : nil
        default: return nil
        }
    }

    /// The default name: the host and a digest of the address, which may hold a secret itself.
    private static func defaultName(_ url: String, _ host: String) -> String {
        "\(host)-\(SHA256.hash(Array(url.utf8)).hexadecimal.prefix(8))"
    }
}
