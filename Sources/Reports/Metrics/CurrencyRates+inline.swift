public import Ledger

extension CurrencyRates {
    /// Maximum number of currencies in a table written inline.
    public static let inlineCount = 200

    /// Reads a table written inline: the target currency, then the value of one unit of each other
    /// currency in it, as in `USD,EUR:1.0834,JPY:0.006612`.
    public init(inline text: String) throws(MetricsError) {
        let parts = MetricParameters.list(text)
        guard let target = parts.first else { throw .invalidRates("The table is empty.") }
        guard parts.count <= CurrencyRates.inlineCount + 1 else {
            throw .invalidRates("At most \(CurrencyRates.inlineCount) rates are allowed.")
        }
        guard CurrencyRates.isCode(target) else {
            throw .invalidRates("The first entry is not an ISO 4217 code.")
        }
        var rates: [String: Rate] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: ":", omittingEmptySubsequences: false)
            guard pair.count == 2, case let code = String(pair[0]), CurrencyRates.isCode(code),
                let rate = Rate(String(pair[1]))
            else {
                throw .invalidRates(
                    "Each rate is a code, a colon and the value of one unit:"
                        + " \(CurrencyRates.rateFormat).")
            }
            guard code != target, rates[code] == nil else {
                throw .invalidRates("\(code) appears twice.")
            }
            rates[code] = rate
        }
        self.init(target: target, rates: rates)
    }

    /// The format of a rate, for messages.
    package static let rateFormat =
        "a decimal number greater than 0 and at most \(Rate.largest), of at most"
        + " \(Rate.digitCount) digits, \(Rate.scaleCount) of them behind the point"

    /// ISO 4217, as Apple writes it.
    package static func isCode(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (65...90).contains($0) }
    }
}
