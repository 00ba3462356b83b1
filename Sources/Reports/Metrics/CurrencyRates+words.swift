public import Ledger

extension CurrencyRates {
    /// Currencies of one table that is written as a word.
    public static let wordCount = 200

    /// Reads a table that is written as a word: what everything is converted into, then what one
    /// unit of each other currency is in it, as `USD,EUR:1.0834,JPY:0.006612`.
    public init(words text: String) throws(MetricsError) {
        let parts = MetricsWords.list(text)
        guard let target = parts.first else { throw .invalidRates("Nothing is given.") }
        guard parts.count <= CurrencyRates.wordCount + 1 else {
            throw .invalidRates("These are more than \(CurrencyRates.wordCount).")
        }
        guard CurrencyRates.isCode(target) else {
            throw .invalidRates("The first is no ISO 4217 code.")
        }
        var rates: [String: Rate] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: ":", omittingEmptySubsequences: false)
            guard pair.count == 2, case let code = String(pair[0]), CurrencyRates.isCode(code),
                let rate = Rate(String(pair[1]))
            else {
                throw .invalidRates(
                    "A code and what one of it is are expected with a colon between them:"
                        + " \(CurrencyRates.rateWords).")
            }
            guard code != target, rates[code] == nil else {
                throw .invalidRates("\(code) is named twice.")
            }
            rates[code] = rate
        }
        self.init(target: target, rates: rates)
    }

    /// What a rate is, for messages.
    package static let rateWords =
        "a decimal number greater than 0 and at most \(Rate.largest), of at most"
        + " \(Rate.digitCount) digits, \(Rate.scaleCount) of them behind the point"

    /// ISO 4217, as Apple writes it.
    package static func isCode(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (65...90).contains($0) }
    }
}
