internal import AppStore
internal import GRDB
internal import Ledger

/// Updates contributions and the sums derived from them within one transaction: for each chain,
/// only the difference between its old and its new row.
struct MovementWriter {
    private let database: Database
    private var changes: MovementChanges
    private var written = 0

    private let select: PreparedStatement
    private let update: PreparedStatement
    private let insert: PreparedStatement

    init(_ database: Database, _ days: ReportDays) throws {
        self.database = database
        changes = MovementChanges(days)
        let columns = ContributionRow.columns
        let names = columns.joined(separator: ", ")
        select = try PreparedStatement(
            database, "SELECT \(names) FROM contributions WHERE subscription = ?")
        let values = columns.enumerated().map { "\($0.element) = ?\($0.offset + 2)" }
        update = try PreparedStatement(
            database,
            "UPDATE contributions SET \(values.joined(separator: ", ")) WHERE subscription = ?1")
        insert = try PreparedStatement(
            database,
            """
            INSERT INTO contributions (subscription, \(names))
            VALUES (?1\(columns.map { _ in ", ?" }.joined()))
            """)
    }

    /// Writes the next chain's row; the sums are updated by `finish`.
    mutating func write(
        _ row: ContributionRow, _ reported: ChainMovements, _ subscription: Int64
    ) throws {
        select.bind(1, subscription)
        let stored = try select.step() ? ContributionRow(select) : nil
        select.reset()
        guard stored != row else { return }
        try write(row, subscription, isThere: stored != nil)
        changes.add(
            of: subscription,
            old: try stored.map { try ContributionCodec.movements($0.body) } ?? [],
            oldSignedAt: stored?.signedAt, new: reported.movements, signedAt: row.signedAt)
        for named in reported.classes { changes.name(named) }
    }

    private mutating func write(
        _ row: ContributionRow, _ subscription: Int64, isThere: Bool
    ) throws {
        var statement = isThere ? update : insert
        statement.bind(1, subscription)
        row.bind(&statement, from: 2)
        written += try statement.run()
    }

    /// Writes the changed sums. Returns the number of rows written.
    mutating func finish() throws -> Int { try written + changes.write(database) }
}
