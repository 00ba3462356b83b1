import AppStore

extension Lifecycle {
    /// A canonical encoding, independent of the events that prove a life: its states and facts,
    /// whether it gives access, the attributes of every period, and those of the newest renewal.
    /// Callers with a hash function derive the `stateHash` of a change from it.
    public var stateBytes: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { json in
            json.member("givesAccess", !isEmpty && meetsMinimumTrust)
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
            json.objects("periods", history.periods) { json, period in
                json.member("transactionId", period.transactionId.rawValue)
                guard let best = history.facts[period.bestFact].statedTransaction else { return }
                best.value.writeAttributes(to: &json)
            }
            json.array("facts", timelineEvents) { json, fact in
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

extension TransactionSnapshot {
    /// The attributes of the period that it is the best snapshot of.
    fileprivate func writeAttributes(to json: inout JSONWriter) {
        json.member("phase", phase.rawValue)
        json.member("ownership", ownership.rawValue)
        json.member("price", money?.milliunits)
        json.member("currency", money?.currency)
        json.member("storefront", storefront)
        json.member("group", subscriptionGroupIdentifier?.rawValue)
        json.member("type", type)
        json.object("offer", offer) { json, offer in
            json.member("type", offer.type)
            json.member("identifier", offer.identifier)
            json.member("discountType", offer.discountType)
            json.member("period", offer.period)
        }
    }
}

extension ChainAnswer {
    /// The attributes that depend neither on the requested moment nor on the period alone.
    fileprivate func writeAttributes(to json: inout JSONWriter) {
        json.member("appAccountToken", appAccountToken)
        json.member("willRenew", willRenew)
        json.member("nextProductId", nextProductId?.rawValue)
        json.member("priceIncrease", priceIncrease?.rawValue)
        json.member("cancellation", cancellation?.reason.rawValue)
        json.member("cancelledAt", cancellation?.at.milliseconds)
        json.object("revocation", revocation) { json, revocation in
            json.member("date", revocation.date.milliseconds)
            json.member("reason", revocation.reason)
            json.member("type", revocation.type)
            json.member("percentage", revocation.percentage)
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
