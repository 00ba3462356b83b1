public import AppStore
public import Ledger

/// A notice that is open at a moment, with the value of its chain.
public struct OpenNotice: Hashable, Sendable {
    public let chain: ChainId
    public let code: NoticeCode
    /// When it opened.
    public let from: Timestamp
    /// The last known price of the chain; nil when no transaction states one.
    public let price: Money?
    /// As Apple wrote it: `purchased`, `familyShared`, …
    public let ownership: String?
    /// End of the latest period of access that had begun at that moment; nil when there was none,
    /// and the end of time where it is unlimited.
    public let accessUntil: Timestamp?
}
