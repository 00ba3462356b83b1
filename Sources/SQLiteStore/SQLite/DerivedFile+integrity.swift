internal import Foundation
internal import GRDB
public import LedgerStore

extension DerivedFiles {
    /// What SQLite finds wrong in a derived file: tables and indexes that contradict each other,
    /// trees that do not hang together, values that no column may hold. Nil when nothing is.
    ///
    /// Some questions are answered from an index, others from its table: where these differ, every
    /// comparison of one of them alone may hold while answers are wrong. Reads the whole file; blocks.
    ///
    /// Throws what keeps the file from being looked at; its damage is no failure.
    public static func fault(in path: String) throws(StoreError) -> String? {
        DiskReads.install()
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(TimeInterval(DerivedFile.busyTimeoutSeconds))
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -16384") }
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.inDatabase { database in
                let found = try String.fetchOne(database, sql: "PRAGMA integrity_check(1)")
                return found == "ok" ? nil : found ?? "SQLite says nothing of it"
            }
        } catch {
            let failure = StoreError(error, path: path).ofDerivedFile(path)
            guard failure.isDamage else { throw failure }
            return failure.reason
        }
    }
}
