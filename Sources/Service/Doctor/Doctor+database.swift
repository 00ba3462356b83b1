internal import LedgerStore
internal import Projection

extension Doctor {
    /// What weakens a log in a database; nothing for a log in a file.
    func database(_ ledger: EnvironmentLedger) async throws(StoreError) -> [Finding] {
        guard let log = ledger.log as? any SharedLog else { return [] }
        let found = try await log.weaknesses()
        guard !found.isEmpty else {
            return [Finding(.good, "database", "durable and verified")]
        }
        return found.map { Finding($0.isSevere ? .bad : .warning, "database", $0.message) }
    }
}
