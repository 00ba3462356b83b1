internal import LedgerStore

/// A row of a log being copied.
struct CopiedRow: Sendable {
    let event: RecordedEvent
    /// Nil when missing; without bytes when erased.
    let evidence: (form: Int64, bytes: [UInt8]?)?
}
