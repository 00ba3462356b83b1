package import AppStore
package import Ledger

extension Transition {
    /// The change of state and the reason for the end of access, for people.
    ///
    /// - Parameter facts: of the events that prove it, by position.
    package func text(_ facts: [Int64: Fact]) -> String {
        let arrow = from.map { "\($0.text) → " } ?? ""
        let why =
            switch reason {
            case nil: ""
            case .unconfirmed?: " (\(isStated(facts) ? Self.noReason : Self.byClock))"
            case let reason?: " (\(reason.rawValue))"
            }
        return "\(arrow)\(to.text)\(why)"
    }

    /// Whether an event states the end of the subscription, rather than only an elapsed date.
    package func isStated(_ facts: [Int64: Fact]) -> Bool {
        events.contains { position in
            facts[position].map { fact in
                fact.cause.notificationType?.value == .expired || fact.status?.value == .expired
            } ?? false
        }
    }

    private static let byClock = "unconfirmed: the period elapsed, no end was reported"
    private static let noReason = "unconfirmed: ended, without a stated reason"
}

extension TimelineEvent {
    /// The fact and its product; for a refund also amount and purchase.
    package var text: String {
        switch detail {
        case .refund(let refund):
            let product = productId.map { " of \($0)" } ?? ""
            let transaction = transactionId.map { ", transaction \($0)" } ?? ""
            let when =
                refund.to == nil
                ? "bought on \(refund.from.rfc3339)" : stretchText(refund.from, refund.to)
            return "\(name.rawValue) \(refund.amount?.text ?? "an unknown amount")\(product)"
                + "\(transaction), \(when)"
        case .change(let change): return "\(name.rawValue) \(change.from) → \(change.to)"
        case nil: return name.rawValue + (productId.map { " \($0)" } ?? "")
        }
    }
}

extension TransactionStanding {
    /// The standing in one line before the chain's; nil for a current transaction.
    package var text: String? {
        let what: String
        switch outcome {
        case .current: return nil
        case .upcoming: what = "begins later"
        case .ended: what = "its period ended\(since.map { " on \($0.rfc3339)" } ?? "")"
        case .refunded:
            what =
                "refunded\(since.map { " on \($0.rfc3339)" } ?? ""), "
                + (amount?.text ?? "an unknown amount")
        case .familyRevoked:
            what = "no longer shared\(since.map { " since \($0.rfc3339)" } ?? "")"
        }
        let product = productId.map { "\($0), " } ?? ""
        return "transaction \(transactionId): \(what): \(product)\(stretchText(from, to))"
    }
}

extension ChainReading {
    /// Whether there is access; where leeway gives it, until when.
    package var accessText: String {
        leeway.map { "access by leeway until \($0.until.rfc3339)" }
            ?? (answer.isEntitled ? "has access" : "no access")
    }

    /// A notice: the problem, its start, period and proving events.
    package func text(_ notice: Notice) -> String {
        "\(notice.code.rawValue), since \(notice.from.rfc3339)\(notice.subject):"
            + " \(notice.message) (\(events(notice.evidence)))"
    }

    /// The stretch without data around the moment.
    package var unknownStretch: Notice.Stretch? {
        answer.notices.lazy.compactMap(\.period).first { stretch in
            stretch.transactionId == nil && stretch.contains(moment.at)
        }
    }
}

extension Notice {
    /// The period concerned, after a comma; empty if none or several, or without data.
    package var subject: String {
        guard let period, let id = period.transactionId else { return "" }
        let product = period.productId.map { "\($0), " } ?? ""
        let stretch = stretchText(period.from, period.to)
        return ", about \(product)transaction \(id), \(stretch)"
    }
}

/// A stretch of time for people; its end is exclusive.
package func stretchText(_ from: Timestamp?, _ to: Timestamp?) -> String {
    switch (from, to) {
    case (let from?, let to?): "\(from.rfc3339) to \(to.rfc3339)"
    case (let from?, nil): "from \(from.rfc3339) on"
    case (nil, let to?): "until \(to.rfc3339)"
    case (nil, nil): "at an unstated time"
    }
}

extension Offer {
    /// Type, identifier, kind of discount and period, as far as they are stated.
    package var text: String {
        [type.map { "type \($0.rawValue)" }, identifier, discountType?.rawValue, period]
            .compactMap { $0 }.joined(separator: ", ")
    }
}

extension ChainAnswer.Commitment {
    package var periodText: String {
        let number = billingPeriodNumber.map(String.init) ?? "?"
        return "billing period \(number) of \(totalBillingPeriods.map(String.init) ?? "?")"
    }

    /// What follows the last period; empty where it is unknown.
    package var endText: String { willRenew.map { $0 ? ", then renews" : ", then ends" } ?? "" }
}

extension AsOf {
    /// The state of knowledge, after a comma; empty for all of it.
    package var text: String {
        switch self {
        case .everything: ""
        case .knownAt(let time): ", as known at \(time.rfc3339)"
        case .knownPosition(let position): ", as known at position \(position)"
        }
    }
}

extension CompleteWindow? {
    package var text: String {
        guard let self else { return "completeness not confirmed" }
        return "complete from \(self.from.rfc3339) through \(self.through.rfc3339)"
    }
}

extension AnswerStamp {
    /// The window, or why there is none.
    package var completeText: String {
        isUnchecked
            ? "completeness not known: the app is not configured, or left out by --bundle-id"
            : complete.text
    }
}

extension ChainReading {
    package var momentText: String {
        "\(moment.at.rfc3339), log position \(stamp.position)\(moment.knowledge.text)"
    }

    /// The kind of the event at a position, in Apple's terms where they exist.
    package func kind(_ position: Int64) -> String {
        guard let fact = facts[position] else { return "" }
        let name = [fact.cause.notificationType?.rawValue, fact.cause.subtype?.rawValue]
            .compactMap { $0 }.joined(separator: "/")
        let form = fact.cause.kind.rawValue
        if name.isEmpty { return form }
        return fact.cause.kind == .notificationV1 ? "\(name) (\(form))" : name
    }

    package func events(_ positions: [Int64]) -> String {
        (positions.count == 1 ? "event " : "events ")
            + positions.map(String.init).joined(separator: ", ")
    }
}

extension Money {
    /// For people, e.g. `9.99 USD` and `300 JPY`.
    package var text: String { "\(decimal) \(currency)" }
}

extension Command {
    /// The action with its actor and reason, for people.
    package var text: String {
        let what: String
        switch action {
        case .link(let customer), .unlink(let customer), .claim(let customer, _):
            what = "\(name.rawValue) \(customer)"
        case .grant(_, let entitlement, let until):
            what = "grant \(id): \(entitlement) until \(until.rfc3339)"
        case .ungrant(_, let grant): what = "ungrant \(grant)"
        case .note: what = "note"
        }
        return "\(what), by \(Command.author(actor, tokenName)): \(reason)"
    }

    /// An actor, and the token or the user of a proxy (`tokenName`) that sent the decision, whose
    /// name may be the actor's.
    package static func author(_ actor: String, _ tokenName: String?) -> String {
        guard let tokenName else { return actor }
        return actor == tokenName ? "\(actor) (authenticated)" : "\(actor) (token \(tokenName))"
    }
}
