import AppStore
import Ledger
import Queries

extension ChainReading {
    /// `timeline` for people: one line per entry, with the event that proves it.
    public func timelineText(_ order: TimelineOrder = .oldest) -> String {
        let entries = page(order).entries.map { text($0) }
        let notices = answer.notices.map { "! \(text($0))" }
        return (heading + entries + notices + ["as of \(momentText)"]).printableText
    }

    /// The transaction that was named, if it was one, and its chain.
    var heading: [String] {
        let chain =
            "\(chain.bundleId) · \(chain.originalTransactionId) · \(environment.rawValue)"
        return [transaction?.text, chain].compactMap { $0 }
    }

    func text(_ entry: TimelineEntry) -> String {
        let what: String
        switch entry.kind {
        case .state(let transition): what = "● \(transition.text(facts))"
        case .fact(let fact): what = "  \(fact.text)"
        }
        let others = entry.events.filter { $0 != entry.cause }.map { "; event \($0) \(kind($0))" }
        return "\(entry.at.rfc3339)  \(what.padding(to: 44))  \(cause(entry.cause))"
            + others.joined()
    }

    /// The event that proves an entry. Only events signed by Apple are "signed"; others are
    /// "dated".
    private func cause(_ position: Int64) -> String {
        guard let fact = facts[position] else { return "event \(position)" }
        if let command = fact.command { return "event \(position) \(command.text)" }
        let event = "event \(position) \(kind(position))"
        guard let signed = fact.signedDate else { return event }
        let late = fact.lateness ?? 0
        return "\(event), \(fact.isSigned ? "signed" : "dated") \(signed.rfc3339)"
            + (late > NoticeLimits.lateDeliveryMilliseconds
                ? ", arrived \(Duration.milliseconds(late).text) later" : "")
    }
}

extension Fact {
    /// Whether the event itself is signed, not only data inside it.
    fileprivate var isSigned: Bool {
        switch cause.kind {
        case .notificationV1, .verifyReceipt: false
        default: trust == .signed
        }
    }
}
