internal import AppStore
internal import Foundation
internal import GRDB
public import LedgerStore

/// The bulk build of the facts (`Log.md` §3): decodes the log into sorted runs on all cores,
/// merges them, and loads them in key order.
public struct FactsBuild: Sendable {
    private let log: any LedgerLog
    private let directory: String

    /// Receives the number of events decoded and loaded so far, and the total.
    public typealias Report = @Sendable (_ done: Int64, _ all: Int64) -> Void

    /// - Parameter directory: where runs are stored while sorting; needs as much free space as the
    ///   facts will take.
    public init(log: any LedgerLog, directory: String) {
        self.log = log
        self.directory = directory
    }

    /// Decodes the log from the beginning up to `through` into a new file at `path`, which must not
    /// exist. Until it is complete the file has a temporary name, and no other process opens it.
    ///
    /// Throws the errors of reading the log, `diskFull` or `ioError`; no file is left behind then.
    public func run(
        path: String, through checkpoint: ProjectionCursor, report: @escaping Report = { _, _ in }
    ) async throws(StoreError) {
        let apps = AppNumbers()
        let files = try await runs(after: 0, through: checkpoint.position, apps, report)
        let directory = directory
        try await Blocking.run { () throws(StoreError) in
            try FactsBuild.load(
                files, apps, directory: directory, path: path, checkpoint: checkpoint)
        }
    }

    /// Merges runs into a new file. Blocks.
    static func load(
        _ files: [RunFile], _ apps: AppNumbers, directory: String, path: String,
        checkpoint: ProjectionCursor
    ) throws(StoreError) {
        let bulk = try BulkFile(path: path, schema: FactsStore.schema, meta: FactsStore.meta)
        do throws(StoreError) {
            let merged = try RunFile.joined(files, directory: directory)
            try bulk.write { database in try load(merged, apps, database) }
            try bulk.finish(checkpoint: checkpoint)
        } catch {
            bulk.abandon()
            throw error
        }
    }

    /// Decodes the events that `facts` lacks up to `through` and adds their facts in key order, in
    /// one transaction: a reader sees all of them or none.
    public func extend(
        _ facts: FactsStore, through checkpoint: ProjectionCursor,
        report: @escaping Report = { _, _ in }
    ) async throws(StoreError) {
        let start = try await facts.checkpoint().position
        let apps = AppNumbers(try await facts.appNumbers())
        let files = try await runs(after: start, through: checkpoint.position, apps, report)
        let directory = directory
        let merged = try await Blocking.run { () throws(StoreError) in
            try RunFile.joined(files, directory: directory)
        }
        try await facts.write { database in
            try FactsBuild.load(merged, apps, database)
            try DerivedFile.setCheckpoint(checkpoint, database)
        }
    }

    private func runs(
        after position: Int64, through: Int64, _ apps: AppNumbers, _ report: @escaping Report
    ) async throws(StoreError) -> [RunFile] {
        try await log.factRuns(
            after: position, through: through, apps: apps, directory: directory,
            workerCount: ProcessInfo.processInfo.activeProcessorCount
        ) { done in report(done, through - position) }
    }

    private static func load(
        _ files: [RunFile], _ apps: AppNumbers, _ database: Database
    ) throws {
        for app in apps.all {
            try database.insert(
                "INSERT OR IGNORE", into: "apps", ["id": app.number, "bundle_id": app.bundleId])
        }
        // OR REPLACE: adding a fact twice changes nothing.
        let insert = try PreparedStatement(
            database,
            """
            INSERT OR REPLACE INTO facts (chain, app, signed_at, position, part, body)
            VALUES (?, ?, ?, ?, ?, ?)
            """)
        var merge = try RunMerge(files)
        while let record = merge.first {
            FactRecord.bind(key: record.key, value: record.value, to: insert)
            _ = try insert.run()
            try merge.advance()
        }
    }
}
