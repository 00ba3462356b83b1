internal import AppStore
internal import LedgerStore

/// The `headers` table as seen by one access to the log: headers known already, and those it adds.
struct HeaderTable {
    private let location: String
    private(set) var known: KnownHeaders
    /// Found by this access, since the cache may drop entries.
    private var ids: [Digest: Int64] = [:]
    private var headers: [Int64: EvidenceHeader] = [:]
    /// The largest id in the table; nil when it was not queried.
    private var largestId: Int64?
    private(set) var added: [(id: Int64, header: EvidenceHeader)] = []

    init(known: KnownHeaders, location: String) {
        self.known = known
        self.location = location
    }

    // MARK: Appending

    /// The statement that looks up the headers of new evidence; nil when all are known.
    func lookup(of evidence: [PackedEvidence]) -> Command? {
        var unknown: Set<Digest> = []
        for packed in evidence {
            for header in packed.headers where known.ids[header.hash] == nil {
                unknown.insert(header.hash)
            }
        }
        guard !unknown.isEmpty else { return nil }
        return Statement.log.headersByHash.bind { $0.add(Array(unknown), bytes: { $0 }) }
    }

    /// Takes the answer of `lookup`: the ids of stored headers, then a row with the largest id.
    mutating func take(_ result: QueryResult) throws {
        for row in result.rows {
            let id = try row.int64(0)
            if let hash = row.digest(1) { ids[hash] = id } else { largestId = id }
        }
    }

    /// The id of a header, given by this access where the header is new. Under the lock of the head
    /// row this needs no sequence.
    mutating func id(of header: EvidenceHeader) throws -> Int64 {
        if let id = known.ids[header.hash] ?? ids[header.hash] { return id }
        guard let largest = largestId else {
            throw StoreError.contradiction(location, "A header was not looked up.")
        }
        let id = largest + 1
        largestId = id
        ids[header.hash] = id
        added.append((id, header))
        return id
    }

    /// Valid once the transaction is committed.
    var committed: KnownHeaders {
        var known = known
        for (id, header) in added { known.insert(header, id) }
        return known
    }

    // MARK: Reading

    /// Reads the headers with these ids that are not known; `header` then finds those stored.
    mutating func load(
        ids wanted: Set<Int64>, _ connection: PostgresConnection
    ) throws {
        // The cache may be emptied while others are added to it.
        for id in wanted { headers[id] = headers[id] ?? known.headers[id] }
        let missing = wanted.filter { headers[$0] == nil }
        guard !missing.isEmpty else { return }
        let result = try connection.run(
            Statement.log.headersById.bind { $0.add(Array(missing), integer: { $0 }) })
        for row in result.rows {
            guard let hash = row.digest(1) else { continue }
            let (id, header) = (
                try row.int64(0), EvidenceHeader(hash: hash, bytes: row.bytes(2))
            )
            headers[id] = header
            known.insert(header, id)
        }
    }

    /// The header with this id. Throws `fileCorrupt` when there is none.
    func header(_ id: Int64) throws -> EvidenceHeader {
        guard let header = headers[id] else {
            throw StoreError.contradiction(
                location, "Evidence refers to a header that is missing.")
        }
        return header
    }
}
