public import AppStore
internal import GRDB
public import Ledger
internal import Migrations

/// `facts-<decoderVersion>.sqlite`: the decoded log, clustered by chain and time. Disposable.
public final class FactsStore: Sendable {
    private let pool: DatabasePool
    public let path: String

    /// Facts of one page of a scan.
    public static let pageFactCount = 4_096

    /// Opens the file in `directory`, and makes it when missing. Blocks; errors as `StoreError`.
    public init(directory: String) throws(StoreError) {
        path = FactsStore.path(in: directory)
        pool = try DerivedFile(path: path, schema: DerivedSchema.facts).open(
            meta: ["decoderVersion": String(Fact.decoderVersion)])
    }

    /// Where the facts of this version's decoder are kept.
    public static func path(in directory: String) -> String {
        "\(directory)/facts-\(Fact.decoderVersion).sqlite"
    }

    public func close() throws(StoreError) {
        do { try pool.close() } catch { throw StoreError(error, path: path) }
    }

    public func checkpoint() async throws(StoreError) -> Checkpoint {
        try await read { try DerivedFile.checkpoint($0) }
    }

    /// Folds the write-ahead log into the file.
    public func settle() async throws(StoreError) {
        do {
            try await pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    // MARK: Writing

    /// Adds facts and moves the checkpoint, in one transaction. Adding a fact again changes
    /// nothing.
    public func add(
        _ facts: [FactDecoder.Decoded], checkpoint: Checkpoint
    ) async throws(StoreError) {
        try await write { database in
            var apps: [BundleId: Int64] = [:]
            let insert = try BoundStatement(
                database,
                """
                INSERT OR REPLACE INTO facts (chain, app, signed_at, position, body)
                VALUES (?, ?, ?, ?, ?)
                """)
            for decoded in facts {
                let bundle = decoded.chain.bundleId
                let app = try apps[bundle] ?? FactsStore.makeApp(bundle, database)
                apps[bundle] = app
                insert.bind(1, decoded.chain.originalTransactionId.rawValue)
                insert.bind(2, app)
                insert.bind(3, decoded.fact.signedDate?.milliseconds ?? Int64.min)
                insert.bind(4, decoded.fact.position)
                insert.bind(5, FactCodec.encode(decoded.fact))
                _ = try insert.run()
            }
            try DerivedFile.setCheckpoint(checkpoint, database)
        }
    }

    /// Forgets everything: the log it was made from is not the log there is.
    public func clear() async throws(StoreError) {
        try await write { database in
            try database.execute(sql: "DELETE FROM facts")
            try DerivedFile.setCheckpoint(.start, database)
        }
    }

    private static func makeApp(_ bundle: BundleId, _ database: Database) throws -> Int64 {
        if let known = try app(bundle, database) { return known }
        let insert = try BoundStatement(database, "INSERT INTO apps (bundle_id) VALUES (?)")
        insert.bind(1, bundle.rawValue)
        _ = try insert.run()
        return database.lastInsertedRowID
    }

    private static func app(_ bundle: BundleId, _ database: Database) throws -> Int64? {
        let select = try BoundStatement(database, "SELECT id FROM apps WHERE bundle_id = ?")
        select.bind(1, bundle.rawValue)
        guard try select.step() else { return nil }
        defer { select.reset() }
        return select.int64(0)
    }

    // MARK: Reading

    /// The facts of each chain that has any, in the order asked.
    public func facts(of chains: [ChainId]) async throws(StoreError) -> [(ChainId, [Fact])] {
        try await read { database in
            try chains.map { ($0, try FactsStore.facts(of: $0, database)) }
        }
    }

    /// Every chain with this originalTransactionId, under whatever bundle id.
    public func chains(_ id: OriginalTransactionId) async throws(StoreError) -> [ChainId] {
        try await read { database in
            let select = try BoundStatement(
                database,
                """
                SELECT DISTINCT apps.bundle_id FROM facts JOIN apps ON apps.id = facts.app
                WHERE facts.chain = ? ORDER BY apps.bundle_id
                """)
            select.bind(1, id.rawValue)
            var found: [ChainId] = []
            while try select.step() {
                found.append(
                    ChainId(
                        bundleId: BundleId(select.text(0) ?? ""), originalTransactionId: id))
            }
            return found
        }
    }

    private static func facts(of chain: ChainId, _ database: Database) throws -> [Fact] {
        guard let app = try app(chain.bundleId, database) else { return [] }
        let select = try BoundStatement(
            database,
            """
            SELECT signed_at, position, body FROM facts WHERE chain = ? AND app = ?
            ORDER BY signed_at, position
            """)
        select.bind(1, chain.originalTransactionId.rawValue)
        select.bind(2, app)
        var facts: [Fact] = []
        while try select.step() {
            facts.append(try decode(select, signedAt: 0, position: 1, body: 2))
        }
        return facts
    }

    private static func decode(
        _ select: BoundStatement, signedAt: Int32, position: Int32, body: Int32
    ) throws -> Fact {
        do {
            return try select.withBytes(body) { bytes in
                try FactCodec.decode(
                    bytes, position: select.int64(position), signedAt: select.int64(signedAt))
            }
        } catch is FactReader.Damage {
            throw StoreError(
                .fileCorrupt, reason: "A stored fact is damaged; facts are derived data.",
                remedy: "Run `subledger rebuild --from-log`.")
        }
    }

    /// The next chains in order, whole, with their facts: about `pageFactCount` facts a page, and
    /// none at the end. `after` nil starts; a page never ends between two apps' chains of one
    /// originalTransactionId.
    public func page(
        after: ChainId?
    ) async throws(StoreError) -> [(ChainId, [Fact])] {
        try await read { database in
            try FactsStore.page(after: after?.originalTransactionId, database)
        }
    }

    private static func page(
        after: OriginalTransactionId?, _ database: Database
    ) throws -> [(ChainId, [Fact])] {
        let names = try bundleNames(database)
        let select = try BoundStatement(
            database,
            """
            SELECT chain, app, signed_at, position, body FROM facts
            WHERE chain > ? ORDER BY chain, app, signed_at, position
            """)
        select.bind(1, after?.rawValue ?? "")
        defer { select.reset() }
        var page: [(ChainId, [Fact])] = []
        var count = 0
        while try select.step() {
            let id = OriginalTransactionId(select.text(0) ?? "")
            let chain = ChainId(
                bundleId: names[select.int64(1)] ?? BundleId(""), originalTransactionId: id)
            if page.last?.0 != chain {
                let isOtherId = page.last?.0.originalTransactionId != id
                if count >= pageFactCount, isOtherId { break }
                page.append((chain, []))
            }
            page[page.count - 1].1.append(
                try decode(select, signedAt: 2, position: 3, body: 4))
            count += 1
        }
        // Apps are numbered as they were first seen; exports go by bundle id.
        return page.sorted { $0.0 < $1.0 }
    }

    private static func bundleNames(_ database: Database) throws -> [Int64: BundleId] {
        let select = try BoundStatement(database, "SELECT id, bundle_id FROM apps")
        var names: [Int64: BundleId] = [:]
        while try select.step() { names[select.int64(0)] = BundleId(select.text(1) ?? "") }
        return names
    }

    // MARK: Access

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do { return try await pool.read(body) } catch {
            throw DerivedFile.explained(StoreError(error, path: path), path: path)
        }
    }

    private func write(
        _ body: @escaping @Sendable (Database) throws -> Void
    ) async throws(StoreError) {
        do { try await pool.write(body) } catch { throw StoreError(error, path: path) }
    }
}
