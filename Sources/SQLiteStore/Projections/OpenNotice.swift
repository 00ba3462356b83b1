public import AppStore
public import Ledger

/// A notice that holds at a moment, with what tells how much its chain is worth.
public struct OpenNotice: Hashable, Sendable {
    public let chain: ChainId
    public let code: NoticeCode
    /// Since when it holds.
    public let from: Timestamp
    /// What the chain last cost; nil when no transaction states it.
    public let price: Money?
    /// As Apple wrote it: `purchased`, `familyShared`, …
    public let ownership: String?
    /// End of the last time that gave access, begun by then; nil when none ever did, and the end of
    /// time where it has no end.
    public let accessUntil: Timestamp?
}
