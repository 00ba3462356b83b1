import Foundation
public import Intake

extension ServiceConfiguration {
    /// Reads `apps[].api`.
    static func api(_ entry: inout YAMLMapping) throws(ConfigurationError) -> Configuration.API? {
        try entry.read("api") { (api) throws(ConfigurationError) in
            let read = Configuration.API(
                keyId: try api.required("keyId"), issuerId: try api.required("issuerId"),
                privateKeyFile: try api.required("privateKeyFile"),
                baseUrl: try api.text("baseUrl"))
            try read.requireUsable(key: api.path)
            return read
        }
    }
}

extension Configuration.API {
    /// Throws for a base address that cannot replace Apple's hosts or would expose a token in
    /// transit.
    ///
    /// - Parameter key: the path of the setting, e.g. `apps[0].api`.
    public func requireUsable(key: String) throws(ConfigurationError) {
        guard let baseUrl else { return }
        try Configuration.API.requireUsable(baseUrl: baseUrl, key: "\(key).baseUrl")
    }

    /// As above, for an address without a setting.
    public static func requireUsable(
        baseUrl: String, key: String
    ) throws(ConfigurationError) {
        let isPlain = URLComponents(string: baseUrl)?.query == nil
        guard ServiceConfiguration.webhookHost(baseUrl) != nil, isPlain else {
            throw ConfigurationError(
                .invalidValue, key: key,
                reason: "An https address without user, password, query and fragment is expected;"
                    + " plain http only on loopback.")
        }
    }
}
