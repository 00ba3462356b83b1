internal import LedgerStore
internal import Projection

extension Doctor {
    /// What weakens a log in a database; nothing for a log in a file.
    func database(_ ledger: EnvironmentLedger) async throws(StoreError) -> [Finding] {
        guard let log = ledger.log as? any SharedLog else { return [] }
        let found = try await log.weaknesses()
        guard !found.isEmpty else {
            return [Finding(level: .good, subject: "database", message: "durable and verified")]
        }
        return found.map {
            Finding(
                level: $0.isSevere ? .bad : .warning, subject: "database", message: $0.message)
        }
    }
}
