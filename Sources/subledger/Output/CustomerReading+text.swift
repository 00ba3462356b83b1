import AppStore
import Ledger
import Queries

extension CustomerReading {
    /// `timeline --customer` for people.
    public func timelineText() -> String {
        var lines = ["customer \(customer)"]
        for entry in entries {
            switch entry {
            case .chain(let entry, let reading):
                lines.append("\(reading.text(entry))  chain \(reading.chain.originalTransactionId)")
            case .command(let fact):
                let word = fact.command.map { CustomerReading.word($0) } ?? ""
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
        let known = chains.first?.knowledgeText ?? ""
        lines.append("as of \(moment.at.rfc3339), log position \(stamp.position)\(known)")
        return lines.printableText
    }
}

extension Command {
    /// The action with its actor and reason, for people.
    var text: String {
        let what: String
        switch action {
        case .link(let customer), .unlink(let customer), .claim(let customer, _):
            what = "\(name.rawValue) \(customer)"
        case .grant(_, let entitlement, let until):
            what = "grant \(id): \(entitlement) until \(until.rfc3339)"
        case .ungrant(_, let grant): what = "ungrant \(grant)"
        case .note: what = "note"
        }
        let token = tokenName.map { " (token \($0))" } ?? ""
        return "\(what), by \(actor)\(token): \(reason)"
    }
}
