import AppStore
import Ledger
import Queries

/// The contract's name, except for a consumable: `consumed` says only that it gives no lasting
/// access.

extension Transition {
    /// The change of state and the reason for the end of access, for people.
    ///
    /// - Parameter facts: of the events that prove it, by position.
    func text(_ facts: [Int64: Fact]) -> String {
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
    func isStated(_ facts: [Int64: Fact]) -> Bool {
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
    var text: String {
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
    var text: String? {
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
    /// A notice: the problem, its start, period and proving events.
    func text(_ notice: Notice) -> String {
        let subject =
            notice.period?.transactionId.map { id in
                let product = notice.period?.productId.map { "\($0), " } ?? ""
                let stretch = stretchText(notice.period?.from, notice.period?.to)
                return ", about \(product)transaction \(id), \(stretch)"
            } ?? ""
        return "\(notice.code.rawValue), since \(notice.from.rfc3339)\(subject):"
            + " \(notice.message) (\(events(notice.evidence)))"
    }

    /// The stretch without data around the moment.
    var unknownStretch: Notice.Stretch? {
        answer.notices.lazy.compactMap(\.period).first { stretch in
            stretch.transactionId == nil && stretch.contains(moment.at)
        }
    }
}

/// A stretch of time for people; its end is exclusive.
func stretchText(_ from: Timestamp?, _ to: Timestamp?) -> String {
    switch (from, to) {
    case (let from?, let to?): "\(from.rfc3339) to \(to.rfc3339)"
    case (let from?, nil): "from \(from.rfc3339) on"
    case (nil, let to?): "until \(to.rfc3339)"
    case (nil, nil): "at an unstated time"
    }
}
