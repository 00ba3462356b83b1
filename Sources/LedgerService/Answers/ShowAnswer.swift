import AppStore
import Ledger

extension ChainReading {
    /// The `show` object of `contract.md`; also a line of `export subscriptions`.
    ///
    /// - Parameter isStamped: without its stamp (when and on which position it was asked) an answer
    ///   stays the same, byte for byte, until something in it changes.
    public func writeShow(to json: inout JSONWriter, isStamped: Bool = true) {
        json.object { json in
            json.member("environment", environment.rawValue)
            json.member("bundleId", chain.bundleId)
            json.member("originalTransactionId", chain.originalTransactionId)
            if isStamped { writeStamp(to: &json) }
            writeState(to: &json)
            writeTerms(to: &json)
            writeEnd(to: &json)
            json.array("notices", answer.notices) { json, notice in notice.write(to: &json) }
            json.array("evidence", answer.evidence)
        }
    }

    private func writeStamp(to json: inout JSONWriter) {
        json.member("at", moment.at)
        json.member("knownAt", moment.knowledge.knownAt)
        json.member("position", position)
        // No sweep has confirmed anything yet: completeness is unknown.
        json.member("completeThrough", nil as Timestamp?)
        json.member("reducerVersion", Lifecycle.reducerVersion)
        json.member("catalogueHash", catalogueHash)
    }

    private func writeState(to json: inout JSONWriter) {
        json.member("state", answer.state.rawValue)
        json.member("entitled", answer.state.isEntitled)
        json.member("appleStatus", answer.state.appleStatus)
        json.member("since", answer.since)
        json.member("until", answer.until)
        json.member("accessUntil", answer.accessUntil)
        json.member("willRenew", answer.willRenew)
    }

    private func writeTerms(to json: inout JSONWriter) {
        json.member("productId", answer.productId)
        json.member("nextProductId", answer.nextProductId)
        json.member("phase", answer.phase.rawValue)
        json.member("ownership", answer.ownership.rawValue)
        json.member("appAccountToken", answer.appAccountToken)
        json.object("price", answer.price) { json, money in money.writeMembers(to: &json) }
        json.member("storefront", answer.storefront)
        json.member("transactionId", answer.transactionId)
        json.object("offer", answer.offer) { json, offer in
            json.member("type", offer.type)
            json.member("identifier", offer.identifier)
            json.member("discountType", offer.discountType)
            json.member("period", offer.period)
        }
        json.object("commitment", answer.commitment) { json, commitment in
            json.member("billingPeriodNumber", commitment.billingPeriodNumber)
            json.member("totalBillingPeriods", commitment.totalBillingPeriods)
            json.member("expiresDate", commitment.expiresDate)
            json.object("price", commitment.price) { json, money in
                money.writeMembers(to: &json)
            }
            json.member("willRenew", commitment.willRenew)
            json.member("nextProductId", commitment.nextProductId)
        }
        json.member("priceIncrease", answer.priceIncrease?.rawValue)
    }

    private func writeEnd(to json: inout JSONWriter) {
        json.object("cancellation", answer.cancellation) { json, cancellation in
            json.member("reason", cancellation.reason.rawValue)
            json.member("at", cancellation.at)
        }
        json.object("revocation", answer.revocation) { json, revocation in
            json.member("date", revocation.date)
            json.member("reason", revocation.reason)
            json.member("type", revocation.type)
            json.member("percentage", revocation.percentage)
        }
    }
}

extension Money {
    /// `{ "milliunits": …, "currency": … }`, without the braces.
    func writeMembers(to json: inout JSONWriter) {
        json.member("milliunits", milliunits)
        json.member("currency", currency)
    }
}

extension Notice {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("code", code.rawValue)
            json.member("message", message)
            json.array("evidence", evidence)
        }
    }
}
