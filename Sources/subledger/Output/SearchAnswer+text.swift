import AppStore
import Ledger
import Queries

extension SearchAnswer {
    /// `find` for people: one line per match.
    func findText() -> String {
        var lines = matches.map { match in
            var line = "\(match.kind.rawValue.padding(to: 18))\(match.id)"
            if let position = match.position, match.kind != .event { line += "  event \(position)" }
            guard let chain = match.chain else { return line }
            if match.kind != .subscription { line += "  of \(chain.originalTransactionId)" }
            return line + "  \(chain.bundleId)"
        }
        if matches.isEmpty { lines.append("nothing has been received about \(text)") }
        if hasMore { lines.append("there are more: give more of the id") }
        if mayBeOrderId {
            lines.append("may be an order id: `subledger api order \(text)` asks Apple")
        }
        lines.append("log position \(position)")
        return lines.printableText
    }
}
