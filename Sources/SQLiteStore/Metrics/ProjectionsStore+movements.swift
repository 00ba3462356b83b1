public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// Sums of movements read in one transaction, and the state at that moment.
public struct StoredMovements: Sendable {
    /// The log position up to which the sums are complete.
    public let position: Int64
    public let completeness: Completeness
    /// When Apple signed the newest fact: later movements are due to the clock alone.
    public let newestSignedAt: Timestamp?
    /// Whether any chain has a life.
    public let hasChains: Bool
    /// The classes that the sums and pending movements refer to.
    public let classes: ClassTable
    public let sums: PackedSums
    /// Pending movements in the rest of the present day, each under its own time.
    public let pending: PackedSums
}

/// Which sums to read: by month in `months`, by day in `days`, without the pending movements in
/// `pending`. The bounds of `months` and `days` are the starts of months and days.
public struct MovementPlan: Sendable, Equatable {
    public var months: [Range<Timestamp>]
    public var days: [Range<Timestamp>]
    /// The part of the last of `days` to leave out: from now until its end. Nil for none.
    public var pending: Range<Timestamp>?
    /// The start of the day that contains `pending`.
    public var presentDay: Timestamp?

    public init(
        months: [Range<Timestamp>] = [], days: [Range<Timestamp>] = [],
        pending: Range<Timestamp>? = nil, presentDay: Timestamp? = nil
    ) {
        self.months = months
        self.days = days
        self.pending = pending
        self.presentDay = presentDay
    }
}

extension ProjectionsStore {
    /// Maximum size of the sums read for one answer; above it, summing contributions is better.
    public static let readSumByteCount = 64 * 1_024 * 1_024

    /// Reads sums; nil where they exceed `limit` bytes.
    public func movements(
        _ plan: MovementPlan, limit: Int = ProjectionsStore.readSumByteCount
    ) async throws(StoreError) -> StoredMovements? {
        try await read { [self] database in
            var reader = SumReader(database: database, limit: limit)
            for range in plan.months { try reader.readMonths(range) }
            for range in plan.days { try reader.readDays(range) }
            if let pending = plan.pending { try reader.readPending(pending) }
            guard reader.byteCount <= limit else { return nil }
            return StoredMovements(
                position: try DerivedFile.checkpoint(database).position,
                completeness: try CompletenessRow.read(database),
                newestSignedAt: try NewestFact.signedAt(database).map {
                    Timestamp(milliseconds: $0)
                },
                hasChains: try database.hasRow(
                    "SELECT 1 FROM contributions WHERE length(body) > 0 LIMIT 1"),
                classes: try classes(database),
                sums: reader.sums, pending: reader.pending)
        }
    }

    /// Whether any chain of an app has a life.
    public func hasChains(of bundleId: BundleId) async throws(StoreError) -> Bool {
        try await read { database in
            try database.hasRow(
                """
                SELECT 1 FROM subscriptions AS s JOIN contributions AS c ON c.subscription = s.id
                WHERE s.bundle_id = ? AND length(c.body) > 0 LIMIT 1
                """, bundleId)
        }
    }
}

private struct SumReader {
    let database: Database
    let limit: Int
    var sums: PackedSums
    var pending = PackedSums()

    init(database: Database, limit: Int) {
        self.database = database
        self.limit = limit
        // Reserved memory that is never written costs nothing.
        sums = PackedSums(reserving: limit)
    }

    var byteCount: Int { sums.byteCount + pending.byteCount }

    mutating func readMonths(_ range: Range<Timestamp>) throws {
        try read(
            range,
            """
            SELECT from_at, sums FROM movements_by_month WHERE from_at >= ? AND from_at < ?
            ORDER BY from_at, part
            """
        ) { sums, select in select.withBytes(1) { sums.append($0, at: select.int64(0)) } }
    }

    mutating func readDays(_ range: Range<Timestamp>) throws {
        try read(
            range,
            """
            SELECT from_at, before_class, after_class, label, chains FROM movements_by_day
            WHERE from_at >= ? AND from_at < ?
            ORDER BY from_at, before_class, after_class, label
            """, SumReader.append)
    }

    mutating func readPending(_ range: Range<Timestamp>) throws {
        swap(&sums, &pending)
        defer { swap(&sums, &pending) }
        try read(
            range,
            """
            SELECT at, before_class, after_class, label, 1 FROM pending_movements
            WHERE at >= ? AND at < ? ORDER BY at, subscription, seq
            """, SumReader.append)
    }

    private static func append(_ sums: inout PackedSums, _ select: PreparedStatement) {
        sums.append(
            SummedMovement(
                before: select.int64(1), after: select.int64(2), label: select.int64(3)),
            chains: select.int64(4), at: select.int64(0))
    }

    private mutating func read(
        _ range: Range<Timestamp>, _ sql: String,
        _ append: (inout PackedSums, PreparedStatement) -> Void
    ) throws {
        let select = try PreparedStatement(database, sql)
        defer { select.reset() }
        select.bind(1, range.lowerBound.milliseconds)
        select.bind(2, range.upperBound.milliseconds)
        while byteCount <= limit, try select.step() { append(&sums, select) }
    }
}
