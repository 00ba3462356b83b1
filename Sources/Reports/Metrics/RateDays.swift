import AppStore
import Ledger
import Signing

/// The identity of a report's dated rates: equal values mean the same rates.
struct RateDays {
    let currencies: [String]
    /// The first and the last day of a rate.
    let first: CivilDate
    let last: CivilDate
    /// Digest of the whole table's canonical text.
    let digest: Digest

    /// Nil for a table without dated rates.
    init?(_ rates: CurrencyRates) {
        currencies = rates.dated.filter { !$0.value.isEmpty }.keys.sorted()
        let days = rates.dated.flatMap { $0.value }.map(\.day.daysSinceEpoch)
        guard let first = days.min(), let last = days.max() else { return nil }
        self.first = CivilDate(daysSinceEpoch: first)
        self.last = CivilDate(daysSinceEpoch: last)
        digest = SHA256.hash(Array(rates.canonicalText.utf8))
    }

    func write(to json: inout JSONWriter) {
        json.object("dated") { json in
            json.array("currencies", currencies)
            json.member("first", first.text)
            json.member("last", last.text)
            json.member("digest", digest)
        }
    }
}

extension CurrencyRates {
    /// Maximum rates listed in `line`.
    private static let namedCount = 6

    /// The table in one line, for people.
    package var line: String {
        let all = rates.sorted { $0.key < $1.key }
        var parts = all.prefix(CurrencyRates.namedCount).map { "\($0.key) \($0.value)" }
        if all.count > parts.count { parts.append("\(all.count - parts.count) more") }
        if let day { parts.append("the rates of \(day.text)") }
        if let days = RateDays(self) {
            parts.append(
                "\(days.currencies.joined(separator: " ")) by day from \(days.first.text) to"
                    + " \(days.last.text), digest \(days.digest.hexadecimal)")
        }
        return "amounts in \(target)\(parts.isEmpty ? "" : ": ")\(parts.joined(separator: ", "))"
    }
}
