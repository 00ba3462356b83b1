import AppStore
import AppStoreAPI
internal import AppleSync
import Foundation
internal import Intake
import Ledger
internal import Reports

extension ServiceConfiguration {
    /// Most rules for retention messages.
    public static let retentionRuleCount = 200

    /// A warning for each rule of an environment that is not served, which never applies, and for
    /// each rule with a promotional offer that cannot be signed for an app, which then answers
    /// without a message.
    public func unusableRetentionRuleWarnings(serving served: [Environment]) -> [String] {
        let keyless = ledger.apps.filter { app in
            guard retention.contains(where: { $0.promotionalOffer != nil }) else { return false }
            guard let api = app.api else { return true }
            return (try? APICredentials(api, bundleId: app.bundleId, key: "\(app.key).api")) == nil
        }
        return retention.compactMap { rule in
            if let environment = rule.environment, !served.contains(environment) {
                return """
                    The retention rule \(rule.name) never applies: it is of \
                    \(environment.rawValue), an environment that is not served. Add it with serve \
                    --environment, or remove the rule.
                    """
            }
            let apps = keyless.map(\.bundleId).filter { $0 == rule.bundleId ?? $0 }
            guard rule.promotionalOffer != nil, !apps.isEmpty else { return nil }
            return """
                The retention rule \(rule.name) answers without a message for \
                \(apps.map(\.rawValue).joined(separator: ", ")): its promotional offer is signed \
                with the app's API key, which is missing or cannot be used. Configure \
                apps[].api, limit the rule to an app with bundleId, or remove promotionalOffer.
                """
        }
    }

    /// The rules for retention messages, in the order in which they are tried.
    static func retention(
        _ list: [YAMLMapping]
    ) throws(ConfigurationError) -> [RetentionRule] {
        guard list.count <= retentionRuleCount else {
            throw ConfigurationError(
                .invalidValue, key: "retention", reason: "At most \(retentionRuleCount) rules.")
        }
        var rules: [RetentionRule] = []
        for var entry in list {
            let rule = try retentionRule(&entry)
            guard !rules.contains(where: { $0.name == rule.name }) else {
                throw entry.invalid("name", "It is listed twice.")
            }
            rules.append(rule)
        }
        return rules
    }

    private static func retentionRule(
        _ entry: inout YAMLMapping
    ) throws(ConfigurationError) -> RetentionRule {
        let name = try entry.required("name")
        guard name.utf8.count <= 100, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw entry.invalid("name", "ASCII without spaces, at most 100.")
        }
        let message = try entry.required("message")
        guard UUID(uuidString: message) != nil else {
            throw entry.invalid("message", "The UUID of a message is expected.")
        }
        var rule = RetentionRule(name: name, message: message.lowercased())
        rule.alternateProduct = try identifier("alternateProduct", &entry).map { ProductId($0) }
        rule.promotionalOffer = try identifier("promotionalOffer", &entry)
        guard rule.alternateProduct == nil || rule.promotionalOffer == nil else {
            throw entry.invalid("promotionalOffer", "Not together with alternateProduct.")
        }
        if let plan = try entry.text("billingPlanType") {
            rule.billingPlanType = try entry.choice(plan, of: "billingPlanType")
            guard rule.alternateProduct != nil else {
                throw entry.invalid("billingPlanType", "Only together with alternateProduct.")
            }
        }
        rule.environment = try entry.environment("environment")
        rule.bundleId = try entry.text("bundleId").map { BundleId($0) }
        rule.products = try entry.values("products").map { ProductId($0) }
        rule.locales = try entry.values("locales")
        for text in try entry.values("phases") {
            rule.phases.append(try entry.choice(text, of: "phases"))
        }
        rule.tenureDays = try bounds("tenureDays", &entry)
        rule.refunds = try bounds("refunds", &entry)
        rule.cancellations = try bounds("cancellations", &entry)
        rule.price = try entry.read("price") { (price) throws(ConfigurationError) in
            RetentionRule.Price(
                currency: try CurrencyRates.code(
                    try price.required("currency"), price.name("currency")),
                milliunits: try bounds(&price))
        }
        try entry.requireNothingElse()
        return rule
    }

    /// The identifier of a product or offer. Throws for one that could not be signed.
    private static func identifier(
        _ key: String, _ entry: inout YAMLMapping
    ) throws(ConfigurationError) -> String? {
        try entry.text(
            key,
            "1 to \(SignatureRequest.textByteCount) ASCII characters without spaces are expected."
        ) { text in
            (1...SignatureRequest.textByteCount).contains(text.utf8.count)
                && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
    }

    private static func bounds(
        _ key: String, _ entry: inout YAMLMapping
    ) throws(ConfigurationError) -> RetentionRule.Bounds {
        guard let bounds = try entry.read(key, bounds) else { return RetentionRule.Bounds() }
        guard bounds.from != nil || bounds.below != nil else {
            throw entry.invalid(key, "`from` or `below` is expected; omit the key for all.")
        }
        return bounds
    }

    private static func bounds(
        _ mapping: inout YAMLMapping
    ) throws(ConfigurationError) -> RetentionRule.Bounds {
        let bounds = RetentionRule.Bounds(
            from: try mapping.integer("from"), below: try mapping.integer("below"))
        guard bounds.from ?? 0 >= 0 else {
            throw mapping.invalid("from", "A number from 0 on is expected.")
        }
        guard bounds.below ?? .max > bounds.from ?? 0 else {
            throw mapping.invalid("below", "A number above `from` is expected, from 0 on.")
        }
        return bounds
    }
}
