public import AppStore
import Ledger
internal import Projection

/// A metric under our definition and another product's, and the amount of each rule in which they
/// differ: ours plus all differences equals theirs exactly.
public struct ComparisonReport: Sendable {
    public let stamp: MetricsStamp
    public let pack: DefinitionPack
    public let metric: String
    public let figures: [ComparedFigure]
    public let rules: [DefinitionRule]
    /// Set where churn is broken down by reason: our reasons with the product's names.
    public let reasons: [NamedReason]
    let zone: ReportZone
    public let rows: [Row]

    public struct Row: Sendable, Hashable {
        public let from: Timestamp
        public let to: Timestamp
        /// For money only.
        public let currency: String?
        /// The figure's name; the figure defines the unit.
        public let figure: String
        public let ours: Int64
        /// In the order of the rules; each applies to the result of those before it.
        public let differences: [Difference]
        /// The denominator of the product's rate; nil where it documents no rate.
        public let base: Int64?

        public var theirs: Int64 { differences.reduce(ours) { $0 + $1.amount } }
    }

    public struct Difference: Sendable, Hashable {
        public let rule: DefinitionRule
        public let amount: Int64
        /// The number of chains (for churn: losses and returns) that the rule affects.
        public let chainCount: Int64
    }

    /// A reason for the end of access, by our name and the product's.
    public struct NamedReason: Sendable, Hashable {
        public let reason: EndReason
        public let theirs: String
    }

    /// - Parameter isStamped: without it an answer stays the same until its content changes.
    public func write(to json: inout JSONWriter, isStamped: Bool = true) {
        json.object { json in
            stamp.write(to: &json, isStamped: isStamped)
            json.member("definitions", pack.rawValue)
            json.array("figures", figures) { json, figure in
                json.object { json in
                    json.member("name", figure.name)
                    json.member("unit", figure.unit.rawValue)
                }
            }
            json.array("rules", rules) { json, rule in
                json.object { json in
                    json.member("rule", rule.rawValue)
                    json.member("theirs", rule.theirs)
                    json.member("ours", rule.ours)
                }
            }
            if !reasons.isEmpty {
                json.array("reasons", reasons) { json, named in
                    json.object { json in
                        json.member("reason", named.reason.rawValue)
                        json.member("theirs", named.theirs)
                    }
                }
            }
            json.array("rows", rows) { json, row in write(row, to: &json) }
        }
    }

    private func write(_ row: Row, to json: inout JSONWriter) {
        json.object { json in
            json.member("from", row.from)
            json.member("to", row.to)
            json.member("currency", row.currency)
            json.member("figure", row.figure)
            json.member("ours", row.ours)
            json.array("differences", row.differences) { json, difference in
                json.object { json in
                    json.member("rule", difference.rule.rawValue)
                    json.member("amount", difference.amount)
                    json.member("chains", difference.chainCount)
                }
            }
            json.member("theirs", row.theirs)
            json.member("base", row.base)
        }
    }

    /// A table: `text` for people, followed by the rules, or comma-separated.
    public func table(_ form: TextTable.Form) -> [UInt8] {
        let header =
            ["from", "to", "currency", "figure", "ours"]
            + rules.flatMap { [$0.rawValue, "\($0.rawValue).chains"] } + ["theirs", "base"]
        let cells = rows.map { row in
            let bounds =
                form != .text
                ? [row.from.rfc3339, row.to.rfc3339]
                : [zone.label(row.from), zone.label(row.to)]
            return bounds + [row.currency ?? "", row.figure, "\(row.ours)"]
                + row.differences.flatMap { ["\($0.amount)", "\($0.chainCount)"] }
                + ["\(row.theirs)", row.base.map { "\($0)" } ?? ""]
        }
        let table = TextTable(header: header, rows: cells)
        guard form == .text else { return table.csv(isRaw: form == .rawCSV) }
        var reported = rules.map { "\($0.rawValue)\n  theirs: \($0.theirs)\n  ours:   \($0.ours)" }
        if reported.isEmpty { reported = ["No documented rule differs from ours."] }
        reported += reasons.map { "\($0.reason.rawValue): \($0.theirs)" }
        let text =
            (stamp.lines + [""]).joined(separator: "\n") + "\n" + table.aligned(leading: 4) + "\n"
            + reported.joined(separator: "\n") + "\n"
        return Array(text.utf8)
    }
}
