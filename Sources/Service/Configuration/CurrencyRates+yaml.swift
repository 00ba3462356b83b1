public import Intake
import Ledger
internal import Reports
import Yams

extension CurrencyRates {
    /// Maximum size of a file of rates.
    public static let maximumByteCount = 64 * 1024

    /// Reads a table of rates: `currency` is the target currency, and `rates` the value of one unit
    /// of each other currency in it.
    ///
    ///     currency: USD
    ///     rates:
    ///       EUR: 1.0834
    ///       JPY: 0.006612
    ///
    /// Throws `ConfigurationError` that names the key.
    public init(yaml text: String) throws(ConfigurationError) {
        let root: Node?
        do { root = try Yams.compose(yaml: text) } catch {
            throw ConfigurationError(
                .invalidYAML, key: "rates", reason: "The table is not valid YAML.")
        }
        guard let root else {
            throw ConfigurationError(.missingKey, key: "currency", reason: "It is required.")
        }
        var file = try YAMLMapping(root, path: "")
        let target = try CurrencyRates.code(try file.required("currency"), "currency")
        var rates: [String: Rate] = [:]
        if var table = try file.mapping("rates") {
            for key in table.keys {
                let code = try CurrencyRates.code(key, table.name(key))
                guard let rate = Rate(try table.required(key)), code != target else {
                    throw table.invalid(
                        key,
                        "The value of one \(code) in \(target): \(CurrencyRates.rateFormat); the"
                            + " target currency itself has no rate.")
                }
                rates[code] = rate
            }
        }
        try file.requireNothingElse()
        self.init(target: target, rates: rates)
    }

    private static func code(_ text: String, _ key: String) throws(ConfigurationError) -> String {
        guard isCode(text) else {
            throw ConfigurationError(
                .invalidValue, key: key, reason: "An ISO 4217 code is expected, e.g. USD.")
        }
        return text
    }
}
