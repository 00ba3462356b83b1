import AppStore
import Ledger
import Queries

extension CustomerReading {
    /// `timeline --customer` for people.
    public func timelineText(_ order: TimelineOrder = .oldest) -> String {
        var lines = ["customer \(customer)"]
        for entry in page(order).entries {
            switch entry {
            case .chain(let entry, let reading):
                lines.append("\(reading.text(entry))  chain \(reading.chain.originalTransactionId)")
            case .command(let fact):
                let word = fact.command.map { CustomerReading.entryName($0) } ?? ""
                let what = ("  " + word).padding(to: 44)
                let detail = fact.command?.text ?? ""
                lines.append(
                    "\(fact.receivedAt.rfc3339)  \(what)  event \(fact.position) \(detail)")
            }
        }
        for reading in chains {
            for notice in reading.answer.notices {
                lines.append(
                    "! \(reading.chain.originalTransactionId): \(reading.text(notice))")
            }
        }
        let known = chains.isEmpty ? "" : moment.knowledge.text
        lines.append("as of \(moment.at.rfc3339), log position \(stamp.position)\(known)")
        return lines.printableText
    }
}
