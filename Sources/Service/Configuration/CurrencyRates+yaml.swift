import AppStore
public import Intake
import Ledger
internal import Reports
import Yams

extension CurrencyRates {
    /// Maximum size of a file of rates: some years of days.
    public static let maximumByteCount = 1024 * 1024

    /// Reads a table of rates: `currency` is the target currency, `rates` the value of one unit of
    /// each other currency in it for all time, and `days` the same by day. A currency is in one of
    /// the two only.
    ///
    ///     currency: USD
    ///     rates:
    ///       JPY: 0.006612
    ///     days:
    ///       2026-01-02: { EUR: 1.0834 }
    ///       2026-01-05: { EUR: 1.0841 }
    ///
    /// Throws `ConfigurationError` that names the key.
    public init(yaml text: String) throws(ConfigurationError) {
        let root: Node?
        do { root = try YAMLMapping.root(of: text) } catch {
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
            rates = try CurrencyRates.rates(&table, in: target)
        }
        var dated: [String: [DatedRate]] = [:]
        if var days = try file.mapping("days") {
            for key in days.keys {
                let day = try days.day(key, at: key).date
                guard var table = try days.mapping(key) else { continue }
                for (code, rate) in try CurrencyRates.rates(&table, in: target) {
                    guard rates[code] == nil else {
                        throw table.invalid(code, "It has a rate for all time, under `rates`.")
                    }
                    dated[code, default: []].append(DatedRate(day: day, rate: rate))
                }
            }
        }
        try file.requireNothingElse()
        self.init(target: target, rates: rates, dated: dated)
    }

    private static func rates(
        _ table: inout YAMLMapping, in target: String
    ) throws(ConfigurationError) -> [String: Rate] {
        var rates: [String: Rate] = [:]
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
        return rates
    }

    /// A currency, or the error for the key.
    static func code(_ text: String, _ key: String) throws(ConfigurationError) -> String {
        guard isCode(text) else {
            throw ConfigurationError(
                .invalidValue, key: key, reason: "An ISO 4217 code is expected, e.g. USD.")
        }
        return text
    }
}
