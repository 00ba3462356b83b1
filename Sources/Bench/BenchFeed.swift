public import AppStore
public import LedgerStore
public import SQLiteStore

/// What is measured with: lives without signatures, made on the spot. The caller makes them; every
/// function may be called by several workers at once.
public struct BenchFeed: Sendable {
    public let bundleId: BundleId
    public let appAppleId: Int64
    /// The facts of the next life but its last one; nil when there are enough.
    public let nextFacts: @Sendable () -> [FactDecoder.Decoded]?
    /// Facts handed out so far.
    public let factCount: @Sendable () -> Int64
    /// The events that lives still owe: the last of each of `count` lives among those handed out,
    /// in an order that has nothing to do with theirs.
    public let lateEvents: @Sendable (_ count: Int) -> [NewEvent]
    /// Some thousand events of whole lives, in the order of lives, and the bytes they came in; nil
    /// when there are enough.
    public let nextEvents: @Sendable () -> (events: [NewEvent], receivedByteCount: Int64)?
    /// Any chain handed out.
    public let someChain: @Sendable (_ number: Int) -> OriginalTransactionId

    public init(
        bundleId: BundleId, appAppleId: Int64,
        nextFacts: @escaping @Sendable () -> [FactDecoder.Decoded]?,
        factCount: @escaping @Sendable () -> Int64,
        lateEvents: @escaping @Sendable (_ count: Int) -> [NewEvent],
        nextEvents: @escaping @Sendable () -> (events: [NewEvent], receivedByteCount: Int64)?,
        someChain: @escaping @Sendable (_ number: Int) -> OriginalTransactionId
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.nextFacts = nextFacts
        self.factCount = factCount
        self.lateEvents = lateEvents
        self.nextEvents = nextEvents
        self.someChain = someChain
    }
}
