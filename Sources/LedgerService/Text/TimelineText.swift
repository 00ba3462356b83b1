import AppStore
import Ledger

extension ChainReading {
    /// `timeline` for people: one line an entry, with the event that proves it.
    public func timelineText() -> String {
        var lines = [
            "\(chain.bundleId) · \(chain.originalTransactionId) · \(environment.rawValue)"
        ]
        for entry in entries { lines.append(text(entry)) }
        for notice in answer.notices {
            lines.append(
                "! \(notice.code.rawValue): \(notice.message) (\(events(notice.evidence)))")
        }
        lines.append("as of \(moment.at.rfc3339), log position \(position)\(knowledgeText)")
        return lines.printableText
    }

    func text(_ entry: TimelineEntry) -> String {
        let what: String
        switch entry.kind {
        case .state(let transition):
            let reason = transition.reason.map { " (\($0.rawValue))" } ?? ""
            let arrow = transition.from.map { "\($0.rawValue) → " } ?? ""
            what = "● \(arrow)\(transition.to.rawValue)\(reason)"
        case .fact(let fact):
            let product = fact.productId.map { " \($0)" } ?? ""
            what = "  \(fact.name.rawValue)\(product)"
        }
        return "\(entry.at.rfc3339)  \(what.padding(to: 44))  \(cause(entry.cause))"
    }

    private func cause(_ position: Int64) -> String {
        guard let fact = facts[position] else { return "event \(position)" }
        if let command = fact.command { return "event \(position) \(command.text)" }
        let name = [fact.cause.notificationType?.rawValue, fact.cause.subtype?.rawValue]
            .compactMap { $0 }.joined(separator: "/")
        let form = fact.cause.kind.rawValue
        let kind =
            name.isEmpty ? form : fact.cause.kind == .notificationV1 ? "\(name) (\(form))" : name
        guard let signed = fact.signedDate else { return "event \(position) \(kind)" }
        let late = fact.receivedAt.milliseconds(since: signed)
        return "event \(position) \(kind), signed \(signed.rfc3339)"
            + (late > NoticeLimits.lateDeliveryMilliseconds
                ? ", arrived \(Duration.milliseconds(late).text) later" : "")
    }
}

extension Duration {
    /// For people: the largest unit that fits, e.g. `3 h`.
    var text: String {
        let seconds = components.seconds
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7_200 { return "\(seconds / 60) min" }
        if seconds < 172_800 { return "\(seconds / 3_600) h" }
        return "\(seconds / 86_400) d"
    }
}
