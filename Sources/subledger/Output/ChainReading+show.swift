import AppStore
import Ledger
import Queries

extension ChainReading {
    /// `show` for people.
    public func showText() -> String {
        let rows = TextTable.labelled([
            ("state", stateText),
            ("unknown", unknownStretch.map { unknownText($0.from, $0.to) }),
            ("reason", answer.endReason.map { text($0) }),
            ("access until", answer.accessUntil?.rfc3339),
            ("product", productText),
            ("auto-renew", life.isOneTime ? nil : renewText),
            ("offer", answer.offer?.text),
            ("price increase", answer.priceIncrease?.rawValue),
            ("reason", answer.endReason == nil ? answer.cancellation?.reason.rawValue : nil),
            ("off since", answer.cancellation?.at.rfc3339),
            ("revoked", answer.revocation.map { text($0) }),
            ("commitment", answer.commitment.map { text($0) }),
            ("account token", answer.appAccountToken.map { tokenText($0) }),
            ("decided by", events(answer.evidence)),
            ("rests on", answer.trust == .signed ? nil : trustText),
            ("as of", momentText),
        ])
        return (heading + rows + answer.notices.map { "! \(text($0))" }).printableText
    }

    /// Why access ended. Marks an unconfirmed end, since Apple may know more.
    private func text(_ reason: EndReason) -> String {
        guard reason == .unconfirmed else { return reason.rawValue }
        let last = life.transitions.last { $0.at <= moment.at }
        return last.map { $0.isStated(facts) } ?? false
            ? "unconfirmed: ended, without a stated reason"
            : "unconfirmed: the period elapsed, but no end was reported"
    }

    /// The revocation in force; for a refund with amount and period.
    private func text(_ revocation: ChainAnswer.Revocation) -> String {
        let refund = timelineEvents.last { event in
            event.name == .refunded && event.at == revocation.date
                && event.transactionId.map { life.isOnePurchase($0, answer.transactionId) } ?? false
        }
        let what = refund.map { ", \($0.text)" } ?? ""
        let reason = answer.endReason == .other ? "assignment" : answer.endReason?.rawValue
        let type = revocation.type ?? reason ?? "refund"
        return "\(type), \(revocation.date.rfc3339)\(what)"
    }

    private var stateText: String {
        let end = answer.until.map { " until \($0.rfc3339)" } ?? ""
        return "\(answer.state.text) (\(accessText)) since \(answer.since.rfc3339)\(end)"
    }

    private func unknownText(_ from: Timestamp?, _ to: Timestamp?) -> String {
        "no data for \(stretchText(from, to)): a period is missing"
    }

    private func tokenText(_ token: String) -> String {
        let trust = answer.appAccountTokenTrust ?? .signed
        return token + (trust == .signed ? "" : ", by \(trust.sentence)")
    }

    private var trustText: String {
        let isTooLittle = answer.state.isEntitled && !answer.isEntitled
        return answer.trust.sentence + (isTooLittle ? Trust.tooLittle : "")
    }

    private var productText: String {
        var parts = [answer.productId?.rawValue ?? "unknown"]
        if !life.isOneTime { parts.append(answer.phase.rawValue) }
        if answer.ownership != .purchased { parts.append(answer.ownership.rawValue) }
        if let price = answer.price { parts.append(price.text) }
        if let storefront = answer.storefront { parts.append(storefront) }
        return parts.joined(separator: ", ")
    }

    private var renewText: String {
        switch answer.willRenew {
        case nil: "unknown"
        case true?: answer.nextProductId.map { "on, next \($0)" } ?? "on"
        case false?: "off"
        }
    }

    private func text(_ commitment: ChainAnswer.Commitment) -> String {
        let end = commitment.expiresDate.map { " until \($0.rfc3339)" } ?? ""
        return "\(commitment.periodText)\(end)\(commitment.endText)"
    }
}
