public import AppStore
import Ledger

extension ChainReading: JSONObjectWritable {
    /// The `show` object of `Contract.md`; also a line of `export subscriptions`.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("environment", environment.rawValue)
        chain.writeMembers(to: &json)
        stamp.writeMembers(to: &json)
        answer.writeMembers(to: &json)
        if let transaction {
            json.object("transaction") { json in transaction.writeMembers(to: &json) }
        }
        json.objects("notices", answer.notices) { $1.writeMembers(to: &$0) }
        json.member("trust", answer.trust.rawValue)
        json.array("evidence", answer.evidence)
    }
}

extension ChainAnswer {
    /// State, terms, and how it ended.
    func writeMembers(to json: inout JSONWriter) {
        json.member("state", state.rawValue)
        json.member("entitled", isEntitled)
        json.member("appleStatus", state.appleStatus)
        json.member("since", since)
        json.member("until", until)
        json.member("accessUntil", accessUntil)
        json.member("willRenew", willRenew)
        json.member("productId", productId)
        json.member("nextProductId", nextProductId)
        json.member("phase", phase.rawValue)
        json.member("ownership", ownership.rawValue)
        json.member("appAccountToken", appAccountToken)
        json.member("appAccountTokenTrust", appAccountTokenTrust?.rawValue)
        json.member("price", price)
        json.member("storefront", storefront)
        json.member("transactionId", transactionId)
        json.object("offer", offer) { json, offer in
            json.member("type", offer.type)
            json.member("identifier", offer.identifier)
            json.member("discountType", offer.discountType)
            json.member("period", offer.period)
        }
        json.object("commitment", commitment) { json, commitment in
            json.member("billingPeriodNumber", commitment.billingPeriodNumber)
            json.member("totalBillingPeriods", commitment.totalBillingPeriods)
            json.member("expiresDate", commitment.expiresDate)
            json.member("price", commitment.price)
            json.member("willRenew", commitment.willRenew)
            json.member("nextProductId", commitment.nextProductId)
        }
        json.member("priceIncrease", priceIncrease?.rawValue)
        json.object("cancellation", cancellation) { json, cancellation in
            json.member("reason", cancellation.reason.rawValue)
            json.member("at", cancellation.at)
        }
        json.object("revocation", revocation) { json, revocation in
            json.member("date", revocation.date)
            json.member("reason", revocation.reason)
            json.member("type", revocation.type)
            json.member("percentage", revocation.percentage)
        }
        json.member("endReason", endReason?.rawValue)
    }
}

extension TransactionStanding {
    func writeMembers(to json: inout JSONWriter) {
        json.member("transactionId", transactionId)
        json.member("productId", productId)
        json.member("from", from)
        json.member("to", to)
        json.member("standing", outcome.rawValue)
        json.member("since", since)
        json.member("amount", amount)
    }
}

extension Notice {
    func writeMembers(to json: inout JSONWriter) {
        json.member("code", code.rawValue)
        json.member("message", message)
        json.array("evidence", evidence)
        json.member("since", from)
        json.object("period", period) { json, period in
            json.member("transactionId", period.transactionId)
            json.member("productId", period.productId)
            json.member("from", period.from)
            json.member("to", period.to)
        }
    }
}
