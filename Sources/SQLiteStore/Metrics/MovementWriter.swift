internal import AppStore
internal import GRDB
internal import Ledger

/// Updates contributions and the sums derived from them within one transaction: for each chain,
/// only the difference between its old and its new row.
struct MovementWriter {
    private let database: Database
    private var changes: MovementChanges
    private var written = 0

    init(_ database: Database, _ days: ReportDays) {
        self.database = database
        changes = MovementChanges(days)
    }

    /// Writes the next chain's row; the sums are updated by `finish`.
    mutating func write(
        _ row: ContributionRow, _ reported: ChainMovements, _ subscription: Int64
    ) throws {
        let stored = try database.rows(ContributionRow.select, subscription) {
            ContributionRow($0)
        }.first
        guard stored != row else { return }
        written += try database.run(
            stored == nil ? ContributionRow.insert : ContributionRow.update,
            values: [.integer(subscription)] + row.values)
        changes.add(
            of: subscription,
            old: try stored.map { try ContributionCodec.movements($0.body) } ?? [],
            oldSignedAt: stored?.signedAt, new: reported.movements, signedAt: row.signedAt)
        for named in reported.classes { changes.name(named) }
    }

    /// Writes the changed sums. Returns the number of rows written.
    mutating func finish() throws -> Int { try written + changes.write(database) }
}
