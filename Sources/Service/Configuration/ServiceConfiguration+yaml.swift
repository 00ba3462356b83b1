import AppStore
public import Intake
import Ledger
internal import Projection
import Yams

extension ServiceConfiguration {
    /// Largest configuration file.
    public static let maximumByteCount = 1024 * 1024

    /// Parses the text of a configuration file. Throws `ConfigurationError` that names the key.
    ///
    /// - `file`: the file of the text; a relative `dataDirectory` is relative to it. Nil:
    ///   to the working directory.
    public init(yaml text: String, from file: String? = nil) throws(ConfigurationError) {
        self.init()
        let root: Node?
        do { root = try YAMLMapping.root(of: text) } catch {
            throw ConfigurationError(
                .invalidYAML, key: "file", reason: ServiceConfiguration.fault(error))
        }
        guard let root, root.null == nil else { return }
        var mapping = try YAMLMapping(root, path: "")
        let directory = try mapping.text(
            "dataDirectory", "A directory is expected.", where: { !$0.isEmpty })
        if let directory {
            ledger.dataDirectory = ServiceConfiguration.path(directory, relativeTo: file)
        }
        // Nothing below it would run the embedded ledger.
        if var database = try mapping.presentMapping("database") {
            ledger.database = try ServiceConfiguration.database(&database)
            try database.requireNothingElse()
        }
        let entries = try mapping.mappings("apps")
        ledger.apps = try ServiceConfiguration.apps(entries)
        ledger.trustedRoots = try mapping.texts("trustedRoots")
        if var entry = try mapping.mapping("verification") {
            try entry.choose("revocation", &ledger.verification.revocation)
            try entry.requireNothingElse()
        }
        ledger.catalogue = try ServiceConfiguration.catalogue(&mapping)
        ledger.catalogue.smallBusinessProgram = try ServiceConfiguration.smallBusinessProgram(
            entries)
        if var customers = try mapping.mapping("customers") {
            try customers.choose("claimPolicy", &ledger.claimPolicy)
            try customers.requireNothingElse()
        }
        ledger.reportTimeZone =
            try mapping.text(
                "reportTimeZone",
                "An IANA name is expected, e.g. Europe/Berlin or UTC; abbreviations and offsets are"
                    + " ambiguous.", where: { ReportZone($0) != nil }) ?? ledger.reportTimeZone
        if var server = try mapping.mapping("server") { try readServer(&server) }
        webhooks = try ServiceConfiguration.webhooks(mapping.mappings("webhooks"))
        audits = try ServiceConfiguration.audits(&mapping)
        if var reports = try mapping.mapping("reports") {
            ratesFile = try reports.text("ratesFile")
            try reports.requireNothingElse()
        }
        retention = try ServiceConfiguration.retention(mapping.mappings("retention"))
        try mapping.requireNothingElse()
        try requireApps(webhooks.map(\.bundleId), of: "webhooks")
        try requireApps(retention.map(\.bundleId), of: "retention")
    }

    /// Throws for the first of these apps that is not among `apps`. Without `apps`, the app is
    /// named on the command line.
    private func requireApps(
        _ bundleIds: [BundleId?], of key: String
    ) throws(ConfigurationError) {
        guard !ledger.apps.isEmpty else { return }
        for (index, bundleId) in bundleIds.enumerated() {
            guard let bundleId, ledger.app(bundleId) == nil else { continue }
            throw ConfigurationError(
                .invalidValue, key: "\(key)[\(index)].bundleId", reason: "It is not in `apps`.")
        }
    }

    /// What is wrong with a text that is not valid YAML, and where. Without its lines: they may
    /// hold secrets.
    private static func fault(_ error: any Error) -> String {
        switch error as? YamlError {
        case .duplicatedKeysInMapping(let keys, let context):
            let names = keys.map { $0.prefix(40) }.joined(separator: ", ")
            return "A mapping has a key twice, first in line \(context.mark.line): \(names)."
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return "It is not valid YAML: \(problem), line \(mark.line), column \(mark.column);"
                + " check the indentation."
        default: return "It is not valid YAML; check the indentation."
        }
    }

    /// The data directory: a relative one is relative to the configuration file. (The paths of
    /// other settings are relative to the working directory.)
    private static func path(_ path: String, relativeTo file: String?) -> String {
        guard !path.hasPrefix("/"), let file, let slash = file.lastIndex(of: "/") else {
            return path
        }
        return "\(file[...slash])\(path)"
    }

    private static func apps(_ list: [YAMLMapping]) throws(ConfigurationError) -> [Configuration
        .App]
    {
        var apps: [Configuration.App] = []
        var bundleIds: Set<BundleId> = []
        var numbers: Set<Int64> = []
        for var entry in list {
            var app = Configuration.App(bundleId: BundleId(try entry.required("bundleId")))
            app.key = entry.path
            app.appAppleId = try entry.integer("appAppleId")
            app.sharedSecretFile = try entry.text("sharedSecretFile")
            app.api = try api(&entry)
            _ = entry.node("smallBusinessProgram")
            try entry.requireNothingElse()
            guard bundleIds.insert(app.bundleId).inserted else {
                throw entry.invalid("bundleId", "It is listed twice.")
            }
            if let number = app.appAppleId {
                guard number >= 0 else {
                    throw entry.invalid(
                        "appAppleId", "The app's own id in the App Store is expected.")
                }
                guard number == 0 || numbers.insert(number).inserted else {
                    throw entry.invalid("appAppleId", "Another app has it.")
                }
            }
            apps.append(app)
        }
        return apps
    }

    private static func catalogue(_ file: inout YAMLMapping) throws(ConfigurationError) -> Catalogue
    {
        var catalogue = Catalogue()
        if var products = try file.mapping("products") {
            for key in products.keys {
                guard var entry = try products.mapping(key) else { continue }
                catalogue.products[ProductId(key)] = try product(key, &entry)
            }
        }
        if var entitlement = try file.mapping("entitlement") {
            if let leeway = try entitlement.duration("leeway") {
                try require(
                    leeway <= Catalogue.longestLeewayMilliseconds, entitlement.name("leeway"),
                    "At most 90 days (P90D), the longest that Apple tries to collect a renewal.")
                catalogue.leewayMilliseconds = leeway
            }
            try entitlement.choose("minimumTrust", &catalogue.minimumTrust)
            try entitlement.requireNothingElse()
        }
        return catalogue
    }

    private static func product(
        _ id: String, _ entry: inout YAMLMapping
    ) throws(ConfigurationError) -> Catalogue.Product {
        var product = Catalogue.Product()
        // A product without `entitlements` grants the same as an unlisted one; an empty list grants
        // nothing (`Lifecycle.md` §6).
        let isStated = entry.node("entitlements") != nil
        product.entitlements = isStated ? try entry.texts("entitlements") : [id]
        product.group = try entry.text("group")
        product.level = try entry.integer("level").map { Int($0) }
        product.period = try entry.period("period")
        product.duration = try entry.period("duration")
        try entry.requireNothingElse()
        try require(
            Set(product.entitlements).count == product.entitlements.count
                && product.entitlements.allSatisfy(isName), entry.name("entitlements"),
            "Names, each once, of at most \(CommandLimits.entitlementByteCount) bytes.")
        for (key, period) in [("period", product.period), ("duration", product.duration)] {
            try require(period != ISO8601Period(), entry.name(key), "It must be more than zero.")
        }
        try require(
            product.group.map(isName) ?? true, entry.name("group"),
            "A name of at most \(CommandLimits.entitlementByteCount) bytes.")
        try require(
            product.level.map { $0 >= 1 } ?? true, entry.name("level"),
            "Levels count from 1, the highest service.")
        return product
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= CommandLimits.entitlementByteCount
    }

    private static func require(
        _ holds: Bool, _ key: String, _ reason: String
    ) throws(ConfigurationError) {
        guard holds else { throw ConfigurationError(.invalidValue, key: key, reason: reason) }
    }
}
