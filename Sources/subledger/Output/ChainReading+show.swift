import AppStore
import Ledger
import Queries

extension ChainReading {
    /// `show` for people.
    public func showText() -> String {
        var lines = transaction?.text.map { [$0] } ?? []
        lines.append(
            "\(chain.bundleId) · \(chain.originalTransactionId) · \(environment.rawValue)")
        lines.append(stateLine)
        if let unknown = unknownStretch {
            let stretch = stretchText(unknown.from, unknown.to)
            lines.append(
                row("unknown", "no data for \(stretch): a period is missing"))
        }
        if let reason = answer.endReason { lines.append(row("reason", text(reason))) }
        if let accessUntil = answer.accessUntil {
            lines.append(row("access until", accessUntil.rfc3339))
        }
        lines.append(row("product", productLine))
        if !life.isOneTime { lines.append(row("auto-renew", renewLine)) }
        if let offer = answer.offer { lines.append(row("offer", text(offer))) }
        if let increase = answer.priceIncrease {
            lines.append(row("price increase", increase.rawValue))
        }
        if let cancellation = answer.cancellation {
            if answer.endReason == nil {
                lines.append(row("reason", cancellation.reason.rawValue))
            }
            lines.append(row("off since", cancellation.at.rfc3339))
        }
        if let revocation = answer.revocation { lines.append(row("revoked", text(revocation))) }
        if let commitment = answer.commitment { lines.append(row("commitment", text(commitment))) }
        if let token = answer.appAccountToken {
            let trust = answer.appAccountTokenTrust ?? .signed
            let rest = trust == .signed ? "" : ", by \(trust.sentence)"
            lines.append(row("account token", token + rest))
        }
        lines.append(row("decided by", events(answer.evidence)))
        if answer.trust != .signed {
            let isTooLittle = answer.state.isEntitled && !answer.isEntitled
            lines.append(
                row("rests on", answer.trust.sentence + (isTooLittle ? Trust.tooLittle : "")))
        }
        lines.append(
            row("as of", "\(moment.at.rfc3339), log position \(stamp.position)\(knowledgeText)"))
        for notice in answer.notices { lines.append("! \(text(notice))") }
        return lines.printableText
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
        let refund = lifeFacts.last { $0.name == .refunded && $0.at == revocation.date }
        let what = refund.map { ", \($0.text)" } ?? ""
        let reason = answer.endReason == .other ? "assignment" : answer.endReason?.rawValue
        let type = revocation.type ?? reason ?? "refund"
        return "\(type), \(revocation.date.rfc3339)\(what)"
    }

    private var stateLine: String {
        let end = answer.until.map { " until \($0.rfc3339)" } ?? ""
        return row(
            "state", "\(answer.state.text) (\(accessText)) since \(answer.since.rfc3339)\(end)")
    }

    private var productLine: String {
        var parts = [answer.productId?.rawValue ?? "unknown"]
        if !life.isOneTime { parts.append(answer.phase.rawValue) }
        if answer.ownership != .purchased { parts.append(answer.ownership.rawValue) }
        if let price = answer.price { parts.append(price.text) }
        if let storefront = answer.storefront { parts.append(storefront) }
        return parts.joined(separator: ", ")
    }

    private var renewLine: String {
        switch answer.willRenew {
        case nil: "unknown"
        case true?: answer.nextProductId.map { "on, next \($0)" } ?? "on"
        case false?: "off"
        }
    }

    private func text(_ commitment: ChainAnswer.Commitment) -> String {
        let number = commitment.billingPeriodNumber.map(String.init) ?? "?"
        let total = commitment.totalBillingPeriods.map(String.init) ?? "?"
        let end = commitment.expiresDate.map { " until \($0.rfc3339)" } ?? ""
        let next = commitment.willRenew.map { $0 ? ", then renews" : ", then ends" } ?? ""
        return "billing period \(number) of \(total)\(end)\(next)"
    }

    private func text(_ offer: Offer) -> String {
        let type = offer.type.map { "type \($0.rawValue)" }
        return [type, offer.identifier, offer.discountType?.rawValue, offer.period]
            .compactMap { $0 }.joined(separator: ", ")
    }

    private func row(_ name: String, _ value: String) -> String {
        name.padding(to: 16) + value
    }
}
