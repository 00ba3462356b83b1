import AppStore
public import Ledger

/// The terms of a comparison with another product's definition. The rows have our amount, the
/// amount of each rule in which the definitions differ, and theirs: ours plus all differences.
public struct Comparison: Sendable {
    public let pack: DefinitionPack
    /// The compared figures; every row is of one of them.
    public let figures: [CountColumn]
    /// Each applies to the result of those before it.
    public let rules: [DefinitionRule]
    /// Set where churn is broken down by reason: our reasons with the product's names.
    public let reasons: [NamedReason]

    /// A reason for the end of access, by our name and the product's.
    public struct NamedReason: Sendable, Hashable {
        public let reason: EndReason
        public let theirs: String
    }

    /// Of each row; the currency is for money only.
    static let dimensions = [Dimension.currency.rawValue, "figure"]

    /// Our amount.
    static let ours = CountColumn.count("ours")

    /// The denominator of the product's rate; absent where it documents no rate.
    static let base = CountColumn.count("base")

    /// The amounts of a row. Each rule also has the number of chains (for churn: losses and
    /// returns) that it affects.
    var columns: [CountColumn] {
        [Comparison.ours]
            + rules.flatMap { [.count($0.rawValue), .count(Comparison.chains($0))] }
            + [.count("theirs"), Comparison.base]
    }

    /// Whether a column is in the unit of its row's figure.
    func isAmount(_ column: CountColumn) -> Bool {
        column != Comparison.base && !rules.contains { column.name == Comparison.chains($0) }
    }

    /// The column with the number of chains that a rule affects.
    static func chains(_ rule: DefinitionRule) -> String { "\(rule.rawValue).chains" }

    func write(to json: inout JSONWriter) {
        json.member("definitions", pack.rawValue)
        Report.write(figures, as: "figures", to: &json)
        json.objects("rules", rules) { json, rule in
            json.member("rule", rule.rawValue)
            json.member("theirs", rule.theirs)
            json.member("ours", rule.ours)
        }
        guard !reasons.isEmpty else { return }
        json.objects("reasons", reasons) { json, named in
            json.member("reason", named.reason.rawValue)
            json.member("theirs", named.theirs)
        }
    }

    func write(_ row: Report.Row, _ stamp: MetricsStamp, to json: inout JSONWriter) {
        json.object { json in
            json.member("from", row.from)
            stamp.write(end: row.to, to: &json)
            for (name, value) in zip(Comparison.dimensions, row.group) { json.member(name, value) }
            json.member("ours", row["ours"])
            json.objects("differences", rules) { json, rule in
                json.member("rule", rule.rawValue)
                json.member("amount", row[rule.rawValue])
                json.member("chains", row[Comparison.chains(rule)])
            }
            json.member("theirs", row["theirs"])
            json.member("base", row.amounts["base"])
        }
    }
}
