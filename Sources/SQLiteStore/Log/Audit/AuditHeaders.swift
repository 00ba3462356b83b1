internal import AppStore
internal import GRDB
internal import LedgerStore
internal import Signing

/// Audit of the stored headers.
enum AuditHeaders {
    /// Checks that every header matches its hash, and is found by its id and by its hash.
    static func findings(_ database: Database) throws -> [LogFinding] {
        let select = try PreparedStatement(
            database, "SELECT id, hash, bytes FROM headers ORDER BY id")
        let byHash = try PreparedStatement(database, "SELECT id FROM headers WHERE hash = ?")
        let byId = try PreparedStatement(database, "SELECT 1 FROM headers WHERE id = ?")
        defer { select.reset() }
        var findings: [LogFinding] = []
        while try select.step() {
            guard select.storageClass(1) == .blob, select.storageClass(2) == .blob,
                let hash = select.digest(1), select.withBytes(2, { SHA256.hash($0) }) == hash
            else {
                findings.append(LogFinding(.headerHashMismatch))
                continue
            }
            let id = select.int64(0)
            byHash.bind(1, hash)
            byId.bind(1, id)
            let isFound = try byHash.step() && byHash.int64(0) == id && byId.step()
            byHash.reset()
            byId.reset()
            if !isFound { findings.append(LogFinding(.keyIndexMismatch)) }
        }
        return findings
    }
}
