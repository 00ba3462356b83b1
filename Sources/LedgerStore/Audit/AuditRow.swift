package import AppStore
internal import Ledger

/// A row as an audit reads it: damage is returned as data, not as an error.
package struct AuditRow: Sendable {
    package let position: Int64
    /// Nil when a value is invalid.
    package let event: RecordedEvent?
    package let evidence: StoredEvidence
    /// Whether a search by position finds the row.
    var isReachable = true

    package init(
        position: Int64, event: RecordedEvent?, evidence: StoredEvidence, isReachable: Bool = true
    ) {
        self.position = position
        self.event = event
        self.evidence = evidence
        self.isReachable = isReachable
    }

    package enum StoredEvidence: Sendable {
        case missing
        case erased
        case unreadable
        case packed(PackedEvidence)
    }

    /// The findings of this row alone.
    func findings() -> [LogFinding] {
        guard let event else { return [LogFinding(.rowUnreadable, at: position)] }
        var findings: [LogFinding] = []
        if !isReachable { findings.append(LogFinding(.rowUnreachable, at: position)) }
        if leafHash != event.leafHash {
            findings.append(LogFinding(.leafHashMismatch, at: position))
        }
        switch evidence {
        // `AuditWalk` checks whether an erasure names it.
        case .erased: break
        case .missing: findings.append(LogFinding(.evidenceMissing, at: position))
        case .unreadable: findings.append(LogFinding(.evidenceUnreadable, at: position))
        case .packed(let packed):
            do throws(StoreError) {
                let hashes = try packed.computedHashes()
                if hashes.evidence != event.evidenceHash {
                    findings.append(LogFinding(.evidenceHashMismatch, at: position))
                }
                if hashes.payload != event.payloadHash {
                    findings.append(LogFinding(.payloadHashMismatch, at: position))
                }
                if event.attributes.kind == .erasure,
                    let erasure = Erasure(evidence: try packed.originalBytes()),
                    !erasure.isPlausible(at: position)
                {
                    findings.append(LogFinding(.erasureImplausible, at: position))
                }
            } catch {
                findings.append(LogFinding(.evidenceUnreadable, at: position))
            }
        }
        return findings
    }

    /// Whether evidence and identifying columns are gone.
    package var isTombstone: Bool {
        guard case .erased = evidence, let event else { return false }
        return event.attributes.chain == nil && event.attributes.notificationUUID == nil
    }

    /// The leaf hash that the row should have; of a tombstone, which lacks what it was computed
    /// from, the stored one. Nil for an unreadable row.
    package var leafHash: Digest? {
        isTombstone ? event?.leafHash : event?.computedLeafHash()
    }

    /// The positions that the row erases; nil unless it is an erasure.
    package var erasedPositions: [Int64]? {
        guard case .packed(let packed) = evidence, event?.attributes.kind == .erasure else {
            return nil
        }
        return (try? packed.originalBytes()).flatMap { Erasure.positions(inEvidence: $0) }
    }

    /// The event as readers get it; nil when the row is damaged.
    package var logged: LoggedEvent? {
        guard let event else { return nil }
        switch evidence {
        case .packed(let packed): return LoggedEvent(event: event, evidence: packed)
        case .erased: return LoggedEvent(event: event, evidence: nil)
        case .missing, .unreadable:
            return LoggedEvent(event: event, evidence: nil, damage: PackedEvidence.unreadable)
        }
    }
}

/// A row with what can be checked of it alone, on any thread; the leaf hash is the recomputed one,
/// nil where the row cannot be read.
typealias CheckedRow = (row: AuditRow, findings: [LogFinding], leafHash: Digest?)
