public import AppStore
package import Ledger

/// What an erasure covers, to find out whether newer events belong to it, too. Never stored.
public struct ErasureScope: Sendable {
    /// Every event up to this position was considered.
    public let position: Int64
    /// The chains, under any bundle id.
    public let chains: [OriginalTransactionId]

    public init(through position: Int64, chains: [OriginalTransactionId]) {
        self.position = position
        self.chains = chains
    }

    /// Whether an event that was not considered may be covered.
    package func mayCover(_ event: RecordedEvent) -> Bool {
        guard event.position > position else { return false }
        return event.attributes.chain.map { chains.contains($0) }
            ?? ErasureScope.mayCover(event.attributes.kind)
    }

    /// Whether an event of this kind that names no chain may be about the person to be erased; true
    /// for an erasure, which may be of the same person.
    package static func mayCover(_ kind: EventKind?) -> Bool { kind != .sweep }

    package static var overtaken: StoreError {
        StoreError(
            .erasureOvertaken,
            reason: "Events arrived that may be about what is being erased.",
            remedy: "The log is unchanged; operational state about it may be removed. Erase again.")
    }
}
