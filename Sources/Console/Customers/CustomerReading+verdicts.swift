package import AppStore
package import Ledger
package import Queries

extension CustomerReading {
    /// The chain that a verdict cites; nil for a grant. Two apps may have chains of one id: the
    /// evidence distinguishes them.
    package func chain(of verdict: Verdict) -> ChainReading? {
        chains.first { chain in
            chain.chain.originalTransactionId == verdict.originalTransactionId
                && verdict.evidence.contains { chain.facts[$0] != nil }
        }
    }
}

extension Verdict {
    /// When access ended; for what never gave access, when it began.
    package func ended(_ reason: AccessReason) -> Timestamp {
        reason == .lowTrust ? since : endedAt ?? since
    }
}
