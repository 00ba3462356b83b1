import AppStore
import Foundation
public import Intake
import Ledger

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
                    + " plain http only on loopback; a port is 1 to 65535.")
        }
    }
}

extension ServiceConfiguration {
    /// When each app's developer was in Apple's Small Business Program: `from` inclusive, `to`
    /// exclusive or absent while it lasts; days begin at midnight UTC.
    static func smallBusinessProgram(
        _ apps: [YAMLMapping]
    ) throws(ConfigurationError) -> [BundleId: [Catalogue.ProgramSpan]] {
        var found: [BundleId: [Catalogue.ProgramSpan]] = [:]
        for var app in apps {
            var spans: [Catalogue.ProgramSpan] = []
            for var entry in try app.mappings("smallBusinessProgram") {
                spans.append(try span(&entry))
            }
            if !spans.isEmpty { found[BundleId(try app.required("bundleId"))] = spans }
        }
        return found
    }

    private static func span(
        _ entry: inout YAMLMapping
    ) throws(ConfigurationError) -> Catalogue.ProgramSpan {
        let begin = try entry.day("from")
        let end = try entry.node("to") == nil ? nil : entry.day("to")
        try entry.requireNothingElse()
        if let end, end <= begin {
            throw entry.invalid("to", "A day after `from` is expected; it is exclusive.")
        }
        return Catalogue.ProgramSpan(from: begin, to: end)
    }
}
