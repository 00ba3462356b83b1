internal import GRDB
internal import LedgerStore

/// The `headers` table as seen by one access to the log: headers known already, and those it adds.
struct HeaderTable {
    private(set) var known: KnownHeaders
    /// The largest id that was looked up and found; 0 for none.
    private(set) var largestId: Int64 = 0
    private let byHash: PreparedStatement
    private let byId: PreparedStatement
    private let path: String

    init(_ database: Database, known: KnownHeaders, path: String) throws {
        self.known = known
        self.path = path
        byHash = try PreparedStatement(database, "SELECT id FROM headers WHERE hash = ?")
        byId = try PreparedStatement(database, "SELECT hash, bytes FROM headers WHERE id = ?")
    }

    /// The id of a stored header, whether stored by this process or another.
    mutating func id(of header: EvidenceHeader) throws -> Int64? {
        if let id = known.ids[header.hash] { return id }
        byHash.bind(1, header.hash)
        defer { byHash.reset() }
        guard try byHash.step() else { return nil }
        let id = byHash.int64(0)
        known.insert(header, id)
        return id
    }

    /// Stores a header that is not in the table. The next id is the largest plus one: under the
    /// append's lock this needs no sequence.
    mutating func insert(_ header: EvidenceHeader, _ database: Database) throws -> Int64 {
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
        byId.bind(1, id)
        defer { byId.reset() }
        guard try byId.step(), let hash = byId.digest(0) else {
            throw StoreError.corrupt(path: path, "Evidence refers to a header that is missing.")
        }
        let header = EvidenceHeader(hash: hash, bytes: byId.bytes(1))
        known.insert(header, id)
        largestId = max(largestId, id)
        return header
    }
}
