public import AppStore
public import LedgerStore
public import SQLiteStore

/// The input of benchmarks: generated lives without signatures. The caller generates them; every
/// function must be safe to call concurrently.
public struct BenchFeed: Sendable {
    public let bundleId: BundleId
    public let appAppleId: Int64
    /// The facts of the next life except the last one; nil after the last life.
    public let nextFacts: @Sendable () -> [FactDecoder.Decoded]?
    /// Number of facts returned so far.
    public let factCount: @Sendable () -> Int64
    /// The last events of `count` lives among those returned, which `nextFacts` omitted; in an
    /// order unrelated to theirs.
    public let lateEvents: @Sendable (_ count: Int) -> [NewEvent]
    /// Some thousand events of whole lives, in the order of lives, and the bytes they were received
    /// as; nil after the last life.
    public let nextEvents: @Sendable () -> (events: [NewEvent], receivedByteCount: Int64)?
    /// Any chain among those returned.
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
