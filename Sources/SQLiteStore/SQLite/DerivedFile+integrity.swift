internal import GRDB
public import LedgerStore

extension DerivedFiles {
    /// The first inconsistency that SQLite finds in a derived file: tables and indexes that
    /// contradict each other, broken trees, values that the schema does not allow. Nil when there
    /// is none.
    ///
    /// Some queries read an index, others its table: where these differ, answers can be wrong
    /// although each compares equal by itself. Reads the whole file; blocks.
    ///
    /// Throws what prevents the check; damage of the file is no error.
    public static func fault(in path: String) throws(StoreError) -> String? {
        let configuration = Configuration(
            readOnly: true, busyTimeoutSeconds: DerivedFile.busyTimeoutSeconds,
            pragmas: ["cache_size = -16384"])
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.inDatabase { database in
                let found = try String.fetchOne(database, sql: "PRAGMA integrity_check(1)")
                return found == "ok" ? nil : found ?? "SQLite reports no result"
            }
        } catch {
            let failure = StoreError(error, path: path).ofDerivedFile(path)
            guard failure.isDamage else { throw failure }
            return failure.reason
        }
    }
}
