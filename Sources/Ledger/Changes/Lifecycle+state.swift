import AppStore

extension Lifecycle {
    /// A canonical encoding: equal exactly when two lives give the same answers at every moment,
    /// whatever events prove them. Contains states, facts and attributes, without positions and
    /// notices. Callers with a hash function derive the `stateHash` of a change from it.
    public var stateBytes: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { json in
            json.array("intervals", intervals) { json, interval in
                json.array { json in
                    json.value(interval.state.rawValue)
                    json.value(interval.from.milliseconds)
                    json.value(interval.to?.milliseconds)
                    json.value(interval.productId?.rawValue)
                    json.value(interval.transactionId.rawValue)
                    json.value(interval.reason?.rawValue)
                }
            }
            json.array("facts", lifeFacts) { json, fact in
                json.array { json in
                    json.value(fact.name.rawValue)
                    json.value(fact.at.milliseconds)
                    json.value(fact.productId?.rawValue)
                    json.value(fact.transactionId?.rawValue)
                    fact.detail?.writeValues(to: &json)
                }
            }
            json.object("last", lastAnswer) { json, answer in answer.writeAttributes(to: &json) }
        }
        return writer.bytes
    }

    /// The answer at the end of time, where all facts apply.
    private var lastAnswer: ChainAnswer? {
        answer(at: Timestamp(milliseconds: .max - 1), now: Timestamp(milliseconds: .max))
    }

    /// When an entry of the timeline is emitted: when it becomes true; an end of access whose
    /// renewal is only overdue, not before the leeway is over (`Lifecycle.md` §6), because access
    /// continues until then and the renewal is likely to arrive.
    func due(_ entry: TimelineEntry, leeway: Int64) -> Timestamp {
        guard case .state(let transition) = entry.kind, transition.to == .expired,
            notices.contains(where: { $0.code == .renewalOverdue && $0.from == entry.at })
        else { return entry.at }
        return entry.at.advanced(byMilliseconds: leeway)
    }
}

extension TimelineEvent.Detail {
    fileprivate func writeValues(to json: inout JSONWriter) {
        switch self {
        case .refund(let refund):
            json.value(refund.amount?.milliunits)
            json.value(refund.amount?.currency)
            json.value(refund.from.milliseconds)
            json.value(refund.to?.milliseconds)
        case .change(let change):
            json.value(change.from.rawValue)
            json.value(change.to.rawValue)
        }
    }
}

extension ChainAnswer {
    /// The attributes that do not depend on the requested moment.
    fileprivate func writeAttributes(to json: inout JSONWriter) {
        json.member("phase", phase.rawValue)
        json.member("ownership", ownership.rawValue)
        json.member("appAccountToken", appAccountToken)
        json.member("price", price?.milliunits)
        json.member("currency", price?.currency)
        json.member("storefront", storefront)
        json.member("group", subscriptionGroupIdentifier?.rawValue)
        json.member("type", type)
        json.member("willRenew", willRenew)
        json.member("nextProductId", nextProductId?.rawValue)
        json.member("priceIncrease", priceIncrease?.rawValue)
        json.member("cancellation", cancellation?.reason.rawValue)
        json.member("cancelledAt", cancellation?.at.milliseconds)
        json.object("offer", offer) { json, offer in
            json.member("type", offer.type)
            json.member("identifier", offer.identifier)
            json.member("discountType", offer.discountType)
            json.member("period", offer.period)
        }
        json.object("commitment", commitment) { json, commitment in
            json.member("number", commitment.billingPeriodNumber)
            json.member("total", commitment.totalBillingPeriods)
            json.member("expires", commitment.expiresDate?.milliseconds)
            json.member("price", commitment.price?.milliunits)
            json.member("willRenew", commitment.willRenew)
            json.member("nextProductId", commitment.nextProductId?.rawValue)
        }
    }
}
