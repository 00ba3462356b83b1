internal import LedgerStore

/// Rows of a log on their way into a copy.
struct CopiedPage: Sendable {
    struct Evidence: Sendable {
        let position: Int64
        let form: Int64
        /// Nil for an erased one.
        let bytes: [UInt8]?
    }

    var events: [RecordedEvent] = []
    var evidence: [Evidence] = []
}
