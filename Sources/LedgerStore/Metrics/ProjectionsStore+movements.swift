public import AppStore
internal import GRDB
public import Ledger

/// Sums of movements read at once, and the state they were read in.
public struct StoredMovements: Sendable {
    /// Up to where the sums hold the log.
    public let position: Int64
    public let completeness: Completeness
    /// When Apple signed the newest fact: from then on only the clock moves anything.
    public let newestSignedAt: Timestamp?
    /// Whether any chain has a life.
    public let hasChains: Bool
    /// The classes that the sums, and all that is to come, name.
    public let classes: [Int64: CountedClass]
    public let sums: [MovementSum]
}

/// How many chains made a movement on a day, in a month, or at one moment.
public struct MovementSum: Hashable, Sendable {
    /// The first moment of the day or month.
    public let at: Timestamp
    public let movement: ClassMovement<Int64>
    /// Negative for what is left out again.
    public let chains: Int64
}

/// Which sums are read: those by month in `months`, by day in `days`, but without what is to happen
/// in `pending`. Moments are beginnings of months or days.
public struct MovementPlan: Sendable, Equatable {
    public var months: [Range<Timestamp>]
    public var days: [Range<Timestamp>]
    /// What is left out of the last of `days`: from now on until its end. Nil: nothing.
    public var pending: Range<Timestamp>?
    /// The first moment of the day that `pending` is a part of.
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
    /// Sums read at most for one answer: more than that are better counted otherwise.
    public static let readSumCount = 2_000_000

    /// Reads sums; nil where there are more than `limit`.
    public func movements(
        _ plan: MovementPlan, limit: Int = ProjectionsStore.readSumCount
    ) async throws(StoreError) -> StoredMovements? {
        try await read { database in
            var reader = SumReader(database: database, limit: limit)
            for range in plan.months { try reader.read(MovementTable.months, range) }
            for range in plan.days { try reader.read(MovementTable.days, range) }
            if let pending = plan.pending { try reader.readPending(pending) }
            guard reader.sums.count <= limit else { return nil }
            return StoredMovements(
                position: try DerivedFile.checkpoint(database).position,
                completeness: try CompletenessRow.read(database),
                newestSignedAt: try NewestFact.signedAt(database).map {
                    Timestamp(milliseconds: $0)
                },
                hasChains: try Bool.fetchOne(
                    database,
                    sql: "SELECT EXISTS (SELECT 1 FROM contributions WHERE length(body) > 0)")
                    ?? false,
                classes: try MovementTable.classes(database).compactMapValues(\.counted),
                sums: reader.sums)
        }
    }

    /// Whether any chain of an app has a life.
    public func hasChains(of bundleId: BundleId) async throws(StoreError) -> Bool {
        try await read { database in
            let select = try BoundStatement(
                database,
                """
                SELECT 1 FROM subscriptions AS s JOIN contributions AS c ON c.subscription = s.id
                WHERE s.bundle_id = ? AND length(c.body) > 0 LIMIT 1
                """)
            defer { select.reset() }
            select.bind(1, bundleId.rawValue)
            return try select.step()
        }
    }
}

private struct SumReader {
    let database: Database
    let limit: Int
    var sums: [MovementSum] = []

    mutating func read(_ table: String, _ range: Range<Timestamp>) throws {
        let select = try BoundStatement(
            database,
            """
            SELECT \(MovementTable.sumColumns.joined(separator: ", ")) FROM \(table)
            WHERE from_at >= ? AND from_at < ?
            """)
        try read(select, range, sign: 1)
    }

    mutating func readPending(_ range: Range<Timestamp>) throws {
        let select = try BoundStatement(
            database,
            """
            SELECT at, before_class, after_class, label, 1 FROM pending_movements
            WHERE at >= ? AND at < ?
            """)
        try read(select, range, sign: -1)
    }

    private mutating func read(
        _ select: BoundStatement, _ range: Range<Timestamp>, sign: Int64
    ) throws {
        defer { select.reset() }
        select.bind(1, range.lowerBound.milliseconds)
        select.bind(2, range.upperBound.milliseconds)
        while sums.count <= limit, try select.step() {
            sums.append(
                MovementSum(
                    at: Timestamp(milliseconds: select.int64(0)),
                    movement: ClassMovement(
                        before: SumReader.number(select.int64(1)),
                        after: SumReader.number(select.int64(2)),
                        label: MovementLabel(code: select.int64(3)) ?? .change),
                    chains: sign * select.int64(4)))
        }
    }

    private static func number(_ stored: Int64) -> Int64? {
        stored == ClassCodec.none ? nil : stored
    }
}
