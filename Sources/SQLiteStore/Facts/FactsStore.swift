public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore
internal import Migrations

/// One `facts-<decoderVersion>-<n>.sqlite`: the decoded log, clustered by chain and time.
/// Disposable.
public final class FactsStore: DerivedStore {
    public let file: OpenDerivedFile

    /// Facts per page of a scan.
    public static let pageFactCount = 4_096

    static let schema = DerivedSchema.facts
    static let meta = ["decoderVersion": String(Fact.decoderVersion)]

    /// Opens the file, creating it when missing. Blocks; errors as `StoreError`.
    public init(path: String) throws(StoreError) {
        let pool = try FactsStore.file(path).open(meta: FactsStore.meta)
        file = OpenDerivedFile(path: path, pool: pool, identity: FileIdentity(path: path))
    }

    /// Opens an existing file. Blocks.
    ///
    /// Throws `fileForeign` when it holds no facts of this decoder, or the error SQLite reported.
    public init(existing path: String) throws(StoreError) {
        let pool = try FactsStore.file(path).open(requiring: FactsStore.meta)
        file = OpenDerivedFile(path: path, pool: pool, identity: FileIdentity(path: path))
    }

    private static func file(_ path: String) -> DerivedFile {
        DerivedFile(path: path, schema: schema, mark: "facts")
    }

    /// As `init(existing:)`, off the cooperative pool.
    public static func open(_ path: String) async throws(StoreError) -> FactsStore {
        try await Blocking.run { () throws(StoreError) in try FactsStore(existing: path) }
    }

    // MARK: Writing

    /// Adds facts and moves the checkpoint, in one transaction. Adding a fact twice changes
    /// nothing.
    public func add(
        _ facts: [ChainFact], checkpoint: ProjectionCursor
    ) async throws(StoreError) {
        try await write { database in
            var apps = try FactsStore.numbers(database)
            // In table order, so that each page is visited once.
            let order = facts.sorted {
                $0.chain.originalTransactionId < $1.chain.originalTransactionId
            }
            for decoded in order {
                let bundle = decoded.chain.bundleId
                let app = try apps[bundle] ?? FactsStore.insertApp(bundle, database)
                apps[bundle] = app
                try database.run(
                    FactRecord.insert, decoded.chain.originalTransactionId, app,
                    FactRecord.signedAt(decoded.fact), decoded.fact.position,
                    Int(decoded.part), FactCodec.encode(decoded.fact))
            }
            try DerivedFile.setCheckpoint(checkpoint, database)
        }
    }

    private static func insertApp(_ bundle: BundleId, _ database: Database) throws -> Int64 {
        try database.run("INSERT INTO apps (bundle_id) VALUES (?)", bundle)
        return database.lastInsertedRowID
    }

    // MARK: Reading

    /// The facts of each chain, in the order requested.
    public func facts(of chains: [ChainId]) async throws(StoreError) -> [(ChainId, [Fact])] {
        let lives = try await lives(of: chains.map(\.originalTransactionId))
        return zip(chains, lives).map { chain, lives in
            (chain, lives.first { $0.0 == chain }?.1 ?? [])
        }
    }

    /// Whether a chain has more than `count` facts; reads no more rows than needed, and decodes
    /// none.
    public func hasMoreFacts(
        than count: Int, of chain: ChainId
    ) async throws(StoreError) -> Bool {
        try await read { database in
            let apps = try FactsStore.numbers(database)
            guard let app = apps[chain.bundleId] else { return false }
            return try database.hasRow(
                "SELECT 1 FROM facts WHERE chain = ? AND app = ? LIMIT 1 OFFSET ?",
                chain.originalTransactionId, app, count)
        }
    }

    /// The apps that have or had a chain, in no particular order.
    public func apps() async throws(StoreError) -> [BundleId] {
        // Facts about a customer have no app.
        try await read { try FactsStore.bundleNames($0).values.filter { !$0.rawValue.isEmpty } }
    }

    /// Every chain with this originalTransactionId, under any bundle id.
    public func chains(_ id: OriginalTransactionId) async throws(StoreError) -> [ChainId] {
        try await rows(
            """
            SELECT DISTINCT apps.bundle_id FROM facts JOIN apps ON apps.id = facts.app
            WHERE facts.chain = ? ORDER BY apps.bundle_id
            """, id
        ) { ChainId(bundleId: BundleId($0.requiredText(0)), originalTransactionId: id) }
    }

    /// The chains with each of these originalTransactionIds, under any bundle id, with their facts;
    /// all read in one transaction.
    public func lives(
        of ids: [OriginalTransactionId]
    ) async throws(StoreError) -> [[(ChainId, [Fact])]] {
        try await read { database in
            let names = try FactsStore.bundleNames(database)
            let select = try PreparedStatement(
                database,
                """
                SELECT signed_at, position, body, app FROM facts WHERE chain = ?
                ORDER BY chain, app, signed_at, position, part
                """)
            let recent = StringInterner()
            return try ids.map { id in
                select.bind(1, id.rawValue)
                var lives: [(ChainId, [Fact])] = []
                var last: Int64?
                while try select.step() {
                    let app = select.int64(3)
                    if app != last {
                        let name = names[app] ?? BundleId("")
                        lives.append((ChainId(bundleId: name, originalTransactionId: id), []))
                        last = app
                    }
                    lives[lives.count - 1].1.append(
                        try select.withBytes(2) { bytes in
                            try FactCodec.decode(
                                bytes, position: select.int64(1), signedAt: select.int64(0),
                                recent: recent)
                        })
                }
                let erased = try ErasedChains.of(lives.map(\.0), database)
                return lives.map { ($0.0, erased.adding(to: $0.0, $0.1)) }.sorted { $0.0 < $1.0 }
            }
        }
    }

    static var damaged: StoreError {
        StoreError(
            .fileCorrupt, reason: "A stored fact is damaged; facts are derived data.",
            remedy: "Run `subledger rebuild --from-log`.")
    }

    /// The next chains in order, each complete, with their facts: about `pageFactCount` facts per
    /// page, none at the end. `after` nil starts; a page never ends between two apps' chains of one
    /// originalTransactionId.
    public func page(after: ChainId?) async throws(StoreError) -> [(ChainId, [Fact])] {
        try await undecodedPage(after: after?.originalTransactionId)?.chains() ?? []
    }

    /// As `page`, but undecoded, so that decoding can run elsewhere; nil at the end.
    ///
    /// - `hasErasures`: whether the keys of erasures, which are not chains, are included.
    public func undecodedPage(
        after: OriginalTransactionId?, hasErasures: Bool = false
    ) async throws(StoreError) -> FactsPage? {
        // The empty text is an id too, and sorts first.
        let isNext = after == nil ? ">=" : ">"
        return try await read { [path] database in
            let names = try FactsStore.bundleNames(database)
            let select = try PreparedStatement(
                database,
                """
                SELECT chain, app, signed_at, position, part, body FROM facts
                WHERE chain \(isNext) ? \(hasErasures ? "" : "AND NOT (\(ErasedChains.range))")
                ORDER BY chain, app, signed_at, position, part
                """)
            select.bind(1, after?.rawValue ?? "")
            defer { select.reset() }
            var page = FactsPage(
                of: path, names: names, erased: try ErasedChains.all(database),
                reserving: FactsStore.pageFactCount)
            while try select.step() {
                guard page.add(select, limit: FactsStore.pageFactCount) else { break }
            }
            return page.factCount == 0 ? nil : page
        }
    }

    /// The numbers this file assigns to apps, read from the table: if an index had lost an app, the
    /// app would get a second number and its chains would be split.
    ///
    /// Throws `fileCorrupt` when an app has two.
    private static func numbers(_ database: Database) throws -> [BundleId: Int64] {
        try bundleNames(database).reduce(into: [:]) { $0[$1.value] = $1.key }
    }

    private static func bundleNames(_ database: Database) throws -> [Int64: BundleId] {
        let names = try database.rows("SELECT id, bundle_id FROM apps NOT INDEXED ORDER BY id") {
            ($0.int64(0), BundleId($0.requiredText(1)))
        }
        guard Set(names.map(\.1)).count == names.count else { throw damaged }
        return Dictionary(names) { $1 }
    }
}
