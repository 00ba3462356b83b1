import AppStore
import Ledger
import Queries
import Reports

extension CellChains {
    /// `metrics chains` for people: the cell, then one line per chain.
    func text() -> String {
        let row = group.map { " \($0.dimension.rawValue)=\($0.value ?? "")" }.joined()
        var lines = [
            "\(metric.rawValue) \(column.name)\(row) from \(from.rfc3339) to \(to.rfc3339):"
                + " \(text(of: amount)) from \(chainCount) chains"
        ]
        for found in chains {
            let events = found.events.map { "#\($0)" }.joined(separator: " ")
            let more = found.eventsOmitted > 0 ? " and \(found.eventsOmitted) more" : ""
            lines.append(
                "\(found.chain.originalTransactionId)  \(found.chain.bundleId)"
                    + "  \(text(of: found.amount))  because of \(events)\(more)")
        }
        return (lines + stamp.lines).printableText
    }
}
