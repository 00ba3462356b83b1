import AppStore

/// Where revocations take effect: the cut of rule 6 of `Lifecycle.md` §2.
extension HistoryReader {
    /// Adds a segment, cut by the revocations of its period.
    mutating func add(_ segment: Segment, of index: Int, reason: EndReason? = nil) {
        let period = periods[index]
        let spans = period.spans
        var cursor = segment.from
        var proof = segment.proof
        if let closer = spans.last(where: { $0.to == cursor })?.closer,
            intervals.last?.state == .revoked
        {
            proof = segment.proof.restored(by: closer)
        }
        while segment.to.map({ cursor < $0 }) ?? true {
            let until: Timestamp?
            if let span = period.revocation(at: cursor) {
                until = earlier(span.to, segment.to)
                add(
                    .revoked, cursor, until, Proof(span.opener, reason: span.reasonFact),
                    index, span.reason)
                if let closer = span.closer, span.to == until {
                    proof = segment.proof.restored(by: closer)
                }
            } else {
                let next = spans.lazy.map(period.revokedFrom).filter { $0 > cursor }.min()
                until = earlier(next, segment.to)
                add(
                    segment.state, cursor, until, proof, index, endReason(segment.state, reason))
                proof = segment.proof
            }
            guard let until else { return }
            cursor = until
        }
    }

    private func endReason(_ state: ChainState, _ reason: EndReason?) -> EndReason? {
        switch state {
        case .billingRetry: .billing
        case .expired: reason ?? .unconfirmed
        default: nil
        }
    }
}
