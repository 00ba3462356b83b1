package import AppStore

/// An event that a new one may repeat, since both have one identity.
package struct KnownEvent {
    let position: Int64
    let evidenceHash: Digest?
    let payloadHash: Digest?
    /// Set only for an event placed in the same database transaction, which is not stored yet.
    let evidence: PackedEvidence?

    package init(
        position: Int64, evidenceHash: Digest?, payloadHash: Digest?,
        evidence: PackedEvidence? = nil
    ) {
        self.position = position
        self.evidenceHash = evidenceHash
        self.payloadHash = payloadHash
        self.evidence = evidence
    }
}

extension NewEvent {
    /// The position of the event that this one repeats; nil where the claims of all differ.
    ///
    /// - Parameter stored: the evidence at a position; nil when it was erased. Throws `fileCorrupt`
    ///   for damaged evidence, whose claims cannot be compared: this event is then a conflict, so
    ///   that one bad row stops no append.
    package func repeated(
        among known: [KnownEvent], stored: (Int64) throws -> PackedEvidence?
    ) throws -> Int64? {
        // Equal payloads make equal claims without being decoded.
        let same = known.first {
            $0.evidenceHash == evidence.evidenceHash || $0.payloadHash == evidence.payloadHash
        }
        if let same { return same.position }
        let claims = try EvidenceClaims.digest(evidence.packed, kind: attributes.kind)
        for event in known {
            do {
                guard let other = try event.evidence ?? stored(event.position) else {
                    // Of an erased event only the key is left: a repetition must not restore it.
                    return event.position
                }
                let others = try EvidenceClaims.digest(other, kind: attributes.kind)
                if others == claims { return event.position }
            } catch let error as StoreError where error.code == .fileCorrupt {
                continue
            }
        }
        return nil
    }
}
