internal import LedgerStore

/// Stored evidence by position, with its headers: for the few events whose claims are compared.
final class StoredEvidence {
    private let connection: PostgresConnection
    private let statements: LogStatements
    private let location: String
    private var headers: HeaderTable

    init(_ transaction: AppendTransaction, _ known: KnownHeaders) {
        connection = transaction.connection
        statements = transaction.statements
        location = transaction.location
        headers = HeaderTable(statements, known: known, location: location)
    }

    /// Nil when erased. Throws `fileCorrupt` when it is damaged.
    func at(_ position: Int64) throws -> PackedEvidence? {
        let row = try connection.run(
            statements.evidenceAt.with { $0.add([position], integer: { $0 }) }
        ).first
        guard let row else {
            throw StoreError.contradiction(
                location, "Position \(position) has no evidence row.")
        }
        let stored = try EvidenceRow(row)
        var ids: Set<Int64> = []
        stored.addHeaderIds(to: &ids)
        try headers.load(ids: ids, connection)
        return try stored.packed(headers)
    }
}
