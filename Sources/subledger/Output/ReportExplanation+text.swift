import AppStore
import Ledger
import Queries
import Reports

extension ReportFile {
    /// What was read, for people.
    var lines: [String] {
        var lines = [
            "\(path): \(reader.kind?.rawValue ?? ""), \(reader.rowCount.named("row", "rows"))"
                + (reader.malformedCount > 0 ? ", \(reader.malformedCount) malformed" : "")
        ]
        lines += reader.malformed.map { "  line \($0.line): \($0.code.rawValue)" }
        let omitted = reader.malformedCount - reader.malformed.count
        if omitted > 0 { lines.append("  and \(omitted) more") }
        if reader.otherAppCount > 0 {
            lines.append("  not compared: rows of other apps, \(reader.otherAppCount)")
        }
        lines += reader.otherEvents.map { "  not compared: \($0.name), \($0.quantity)" }
        return lines
    }
}

extension ReportExplanation {
    /// `metrics explain` for people: every cell, then the causes of each difference.
    var lines: [String] {
        let table = TextTable(
            header: ["day", "product", "country", "figure", "Apple", "ours", "difference"],
            rows: cells.map { found in
                [
                    found.cell.day.text, found.cell.product.rawValue, found.cell.country,
                    found.cell.figure.rawValue, "\(found.apple)", "\(found.ours)",
                    found.difference == 0 ? "" : found.difference.signed,
                ]
            }
        ).aligned(leading: 4)
        let causes = cells.filter(\.hasLines).flatMap(\.lines)
        return stamp.lines + ["", table] + causes
    }
}

extension ExplainedCell {
    fileprivate var hasLines: Bool {
        !explanations.isEmpty || earlier != nil || !prices.isEmpty || !proceeds.isEmpty
    }

    /// The causes of the difference, the prices that differ, and the proceeds.
    fileprivate var lines: [String] {
        var lines = [
            "\(cell.day.text) \(cell.product) \(cell.country) \(cell.figure.rawValue):"
                + " \(difference.signed)"
        ]
        if let earlier { lines.append("  restated by Apple, before: \(earlier)") }
        for part in explanations {
            lines.append(
                "  \(part.amount.signed) \(part.cause.rawValue)"
                    + (part.gap.map { " (\($0.rawValue))" } ?? "")
                    + ExplainedCell.text(part.chains, of: part.chainCount))
        }
        for found in prices {
            lines.append(
                "  at \(ExplainedCell.text(found.price.milliunits, found.price.currency)): Apple"
                    + " \(found.apple), ours \(found.ours)"
                    + ExplainedCell.text(found.chains, of: Int(clamping: found.ours)))
        }
        for found in proceeds {
            let estimate = found.estimate.map { ExplainedCell.text($0, found.currency) }
            lines.append(
                "  proceeds: Apple \(ExplainedCell.text(found.apple, found.currency))"
                    + (estimate.map { ", our estimate before tax \($0)" } ?? ""))
        }
        return lines
    }

    private static func text(_ milliunits: Int64, _ currency: String) -> String {
        "\(Money(milliunits: milliunits, currency: currency).decimal) \(currency)"
    }

    private static func text(_ chains: [ChainId], of count: Int) -> String {
        guard !chains.isEmpty else { return "" }
        let more = count > chains.count ? " and \(count - chains.count) more" : ""
        return ": " + chains.map(\.originalTransactionId.rawValue).joined(separator: " ") + more
    }
}

extension Int64 {
    /// With its sign: +2.
    fileprivate var signed: String { self > 0 ? "+\(self)" : "\(self)" }
}
