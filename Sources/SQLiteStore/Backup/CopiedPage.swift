internal import LedgerStore

/// Rows of a log being copied.
struct CopiedPage: Sendable {
    struct Evidence: Sendable {
        let position: Int64
        let form: Int64
        /// Nil when erased.
        let bytes: [UInt8]?
    }

    var events: [RecordedEvent] = []
    var evidence: [Evidence] = []
}
