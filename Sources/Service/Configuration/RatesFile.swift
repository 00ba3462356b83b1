public import Intake
public import Ledger
import Synchronization

/// A table of rates, parsed again when its content changed, so that a job can add a day to the
/// configured one while the service runs.
public final class RatesFile: Sendable {
    /// The key that names the configured one.
    public static let key = "reports.ratesFile"

    private let path: String
    private let key: String
    private let last = Mutex<(text: String, table: CurrencyRates)?>(nil)

    /// `key` is the key or option that names the file, for errors.
    public init(_ path: String, key: String = RatesFile.key) {
        self.path = path
        self.key = key
    }

    /// Throws `unreadableFile`, also for more than `CurrencyRates.maximumByteCount`, and what
    /// parsing throws; the error names the key.
    public func table() throws(ConfigurationError) -> CurrencyRates {
        let limit = CurrencyRates.maximumByteCount
        guard let data = InputFile.readFile(path, limit: limit), data.count <= limit else {
            throw ConfigurationError(
                .unreadableFile, key: key,
                reason: "The file cannot be read or is too large; check the path and permissions.")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ConfigurationError(
                .invalidValue, key: key, reason: "The file is not UTF-8; save it as UTF-8.")
        }
        if let known = last.withLock({ $0 }), known.text == text { return known.table }
        let table: CurrencyRates
        do throws(ConfigurationError) { table = try CurrencyRates(yaml: text) } catch {
            throw ConfigurationError(error.code, key: key, reason: error.description)
        }
        last.withLock { $0 = (text: text, table: table) }
        return table
    }
}

extension ServiceConfiguration {
    /// The configured table of rates; nil: none is configured. Throws as `RatesFile.table`.
    public func rates() throws(ConfigurationError) -> CurrencyRates? {
        guard let ratesFile else { return nil }
        return try RatesFile(ratesFile).table()
    }
}
