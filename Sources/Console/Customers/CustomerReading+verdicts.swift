package import AppStore
package import Ledger
package import Queries

extension CustomerReading {
    /// A verdict with what explains it, and its place in the order of names.
    package typealias ExplainedVerdict = (
        number: Int, verdict: Verdict, reason: AccessReason, chain: ChainReading?
    )

    /// The chain that a verdict cites; nil for a grant. Two apps may have chains of one id: the
    /// evidence distinguishes them.
    package func chain(of verdict: Verdict) -> ChainReading? {
        chains.first { chain in
            chain.chain.originalTransactionId == verdict.originalTransactionId
                && verdict.evidence.contains { chain.facts[$0] != nil }
        }
    }

    /// Access first, by name; then what ended, then what continued as something else, each from
    /// the newest end, then by name.
    package func explained(_ entitlements: Entitlements) -> [ExplainedVerdict] {
        let ranked = entitlements.verdicts.enumerated().map { number, verdict in
            let chain = chain(of: verdict)
            let reason = AccessReason(verdict, of: customer, chain, at: moment.at)
            return (
                rank: verdict.active ? 0 : reason.isContinued ? 2 : 1,
                ended: verdict.active ? moment.at : verdict.ended(reason),
                explained: ExplainedVerdict(
                    number: number, verdict: verdict, reason: reason, chain: chain)
            )
        }
        return ranked.sorted {
            ($0.rank, $1.ended, $0.explained.number) < ($1.rank, $0.ended, $1.explained.number)
        }.map(\.explained)
    }

    /// The cause of a verdict. Where access had ended before the change that the cause names, it
    /// says when that came.
    package func cause(
        of verdict: Verdict, _ reason: AccessReason, _ chain: ChainReading?
    ) -> String {
        let cause = reason.cause(of: chain)
        guard let chain, let changed = changed(verdict, reason, chain),
            changed > verdict.ended(reason)
        else { return cause }
        return "\(cause); this came later, on \(changed.rfc3339)"
    }

    /// The events that a verdict rests on; where its reason names a change of holders, with the
    /// decision that made it.
    package func evidence(
        of verdict: Verdict, _ reason: AccessReason, _ chain: ChainReading?
    ) -> [Int64] {
        guard let holders = chain?.life.holders else { return verdict.evidence }
        let decisions: [Int64]
        switch reason {
        case .movedOn: decisions = holders.holders(at: moment.at).map(\.cause)
        case .unlinked, .claimUndone:
            decisions = [holders.lastUnlink(by: moment.at)].compactMap(\.self)
        default: decisions = []
        }
        return verdict.evidence + decisions.filter { !verdict.evidence.contains($0) }
    }

    /// When the change came that a reason names: another product, another holder, or a revocation;
    /// nil for other reasons.
    private func changed(
        _ verdict: Verdict, _ reason: AccessReason, _ chain: ChainReading
    ) -> Timestamp? {
        switch reason {
        case .changedProduct:
            guard let until = verdict.until else { return nil }
            let next = chain.intervals.first { interval in
                interval.productId != verdict.productId && interval.to.map { until < $0 } ?? true
            }
            return next.map { max($0.from, until) }
        case .movedOn, .unlinked, .claimUndone:
            let stretches = chain.life.holders.stretches(of: customer)
            return stretches.last { $0.from <= moment.at }?.to
        case .refund, .familyRevoke, .assignmentRevoke:
            let ended = verdict.ended(reason)
            return chain.intervals.first { $0.state == .revoked && ended <= $0.from }?.from
        default: return nil
        }
    }
}

extension Verdict {
    /// When access ended; for what never gave access, when it began.
    package func ended(_ reason: AccessReason) -> Timestamp {
        reason == .lowTrust ? since : endedAt ?? since
    }
}
