/// Operational state of one environment on which no answer depends: quarantine, cursors of
/// recoveries, backfills and feeds, webhook deliveries, keys of uploads.
///
/// Stored in SQL tables: engines open transactions and run the same statements. Every call is one
/// transaction, durable when it returns.
public protocol OperationalState: TableReader {
    /// Names the store in messages: a path, or a server's hosts, database and schema.
    var location: String { get }

    /// Throws the reason why the store cannot be used now: `fileReplaced` or `closed`.
    func requireUsable() throws(StoreError)

    /// The exclusive right to a task in this environment, held until the last reference is released
    /// or the process ends, however it ends; nil while it is held, and while this process has a
    /// reference to one that ran out.
    func lease(_ task: ExclusiveTask) async throws(StoreError) -> (any Lease)?

    /// Runs `body` in one transaction, alone among those that write in `area`.
    func writeTables<Value: Sendable>(
        _ area: OperationsArea,
        _ body: @escaping @Sendable (any SQLTables) throws -> Value
    ) async throws(StoreError) -> Value

    /// Removes what is left of removed rows in the store's files.
    func purge() async throws(StoreError)
}

/// Parts of the operational state whose writes are serialised.
public enum OperationsArea: String, Sendable {
    case quarantine
    case recovery
    case uploads
    case requests
    case feeds
    case webhooks

    /// The task whose holder alone writes here; nil where every node may.
    package var task: ExclusiveTask? {
        switch self {
        case .recovery: .recovery
        case .webhooks: .webhooks
        case .feeds: .feedClock
        case .quarantine, .uploads, .requests: nil
        }
    }
}

/// A task that only one process may perform in an environment at a time.
public enum ExclusiveTask: String, Sendable {
    /// Two recoveries would share their cursors and count each other's work.
    case recovery
    /// Two deliverers would send every change twice, and overwrite each other's cursor.
    case webhooks
    /// Two clocks would emit due changes at different places of the feed.
    case feedClock
    /// Two loops would send Apple twice the requests.
    case reconcile
    /// Two watches would sweep the same windows.
    case recoveryWatch
    /// Two runs would share the progress through a list.
    case backfill
    /// Two signers would send witnesses every checkpoint twice.
    case checkpoints
}

/// A lease of a task (`OperationalState.lease`); ends with its last reference.
public protocol Lease: AnyObject, Sendable {
    /// False once another node may have taken over, because this one was silent for too long.
    var isHeld: Bool { get }
}

/// The state of an upload's key.
public enum UploadKey: Hashable, Sendable {
    /// The key is now assigned to this request.
    case new
    /// The key belongs to the same request, which is not answered yet.
    case open
    /// This request was answered.
    case answered(UploadRecord)
    /// The key belongs to another request.
    case taken
}

/// Bounds of operational state. Each is tested at the bound and one past it.
public enum OperationsLimits {
    /// Recoveries that are not continued are dropped after this time, milliseconds.
    public static let recoveryMilliseconds: Int64 = 7 * 86_400_000
    /// Undeliverable notifications stored per recovery.
    public static let undeliveredCount = 1_000
    /// Reports of recoveries stored.
    public static let recoveryReportCount = 20
    /// How long keys of uploads are kept, milliseconds.
    public static let uploadKeyMilliseconds: Int64 = 24 * 3_600_000
    /// Keys of uploads kept; beyond it the oldest is dropped.
    public static let uploadKeyCount = 100_000
    /// How long answers to requests for retention messages are kept, milliseconds.
    public static let retentionMilliseconds: Int64 = 400 * 86_400_000
    /// Answers to requests for retention messages kept; beyond it the oldest is dropped.
    public static let retentionAnswerCount: Int64 = 1_000_000
    /// Minimum length of an id for which upload keys that contain it are erased, since clients
    /// choose the keys. Shorter ids occur in unrelated keys and are compared with whole keys.
    package static let containedByteCount = 8
    /// Maximum bytes of a bundle id and an originalTransactionId in one index row, which PostgreSQL
    /// limits to 2,704. A log of an earlier release may hold longer ids.
    package static let indexedByteCount = 2_600
    /// Readings of the feed's clock stored in one round trip: bounds memory.
    static let readingCount = 1_000
    /// Unfinished backfill lists kept; beyond it the least recently touched one is dropped.
    public static let backfillRunCount = 100
}
