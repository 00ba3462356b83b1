internal import GRDB
internal import LedgerStore

/// The `headers` table as seen by one access to the log: headers known already, and those it adds.
struct HeaderTable {
    private(set) var known: KnownHeaders
    /// The largest id that was looked up and found; 0 for none.
    private(set) var largestId: Int64 = 0
    private let database: Database
    private let path: String

    init(_ database: Database, known: KnownHeaders, path: String) {
        self.known = known
        self.path = path
        self.database = database
    }

    /// The id of a stored header, whether stored by this process or another.
    mutating func id(of header: EvidenceHeader) throws -> Int64? {
        if let id = known.ids[header.hash] { return id }
        let found = try database.rows(
            "SELECT id FROM headers WHERE hash = ?", header.hash
        ) { $0.int64(0) }
        guard let id = found.first else { return nil }
        known.insert(header, id)
        return id
    }

    /// Stores a header that is not in the table. The next id is the largest plus one: under the
    /// append's lock this needs no sequence.
    mutating func insert(_ header: EvidenceHeader) throws -> Int64 {
        let stored = try database.rows(
            """
            INSERT INTO headers (id, hash, bytes)
            SELECT coalesce(max(id), 0) + 1, ?, ? FROM headers RETURNING id
            """, header.hash, header.bytes
        ) { $0.int64(0) }.first
        guard let id = stored else {
            throw StoreError.corrupt(path: path, "A header was not stored.")
        }
        known.insert(header, id)
        return id
    }

    /// The header with this id. Throws `fileCorrupt` when there is none.
    mutating func header(_ id: Int64) throws -> EvidenceHeader {
        if let header = known.headers[id] {
            largestId = max(largestId, id)
            return header
        }
        let found = try database.rows("SELECT hash, bytes FROM headers WHERE id = ?", id) { row in
            row.digest(0).map { EvidenceHeader(hash: $0, bytes: row.bytes(1)) }
        }
        guard let header = found.first else {
            throw StoreError.corrupt(path: path, "Evidence refers to a header that is missing.")
        }
        known.insert(header, id)
        largestId = max(largestId, id)
        return header
    }
}
