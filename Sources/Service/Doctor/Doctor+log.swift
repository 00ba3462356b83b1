import AppStore
internal import LedgerStore
internal import Projection
internal import Proofs

extension Doctor {
    /// Whether the log takes events, tested by a COMMIT that changes none: opening it shows neither
    /// a full disk nor a quota.
    func writing(_ log: any LedgerLog) async -> [Finding] {
        do throws(StoreError) {
            try await log.probeCommit()
            return []
        } catch { return [Finding(.bad, "log", "\(error.code.rawValue): \(error)")] }
    }

    /// Whether the log still matches its newest signed checkpoint; no finding without one.
    func signed(_ ledger: EnvironmentLedger) async throws(StoreError) -> [Finding] {
        guard let newest = try await ledger.operations.checkpoints(before: .max, limit: 1).first
        else { return [] }
        func finding(_ level: Finding.Level, _ message: String) -> [Finding] {
            [Finding(level, "checkpoints", message)]
        }
        // The head after the checkpoint: a running service may have signed it just now.
        let size = newest.size
        let head = try await ledger.log.head().position
        guard size <= head else {
            return finding(
                .bad,
                "The first \(size) events were signed; the log ends at \(head). See"
                    + " `subledger audit verify`.")
        }
        guard let note = try? SignedNote(newest.note), let checkpoint = try? LogCheckpoint(note),
            checkpoint.size == size
        else {
            return finding(
                .bad, "The newest, of \(size) events, is not valid. See `subledger audit verify`.")
        }
        // Without a directory, so that no file is written.
        guard try await TreeProver(ledger.log).root(of: size) == checkpoint.root else {
            return finding(
                .bad,
                "The log does not hold the \(size) events that were signed. See"
                    + " `subledger audit verify`.")
        }
        return finding(.good, "the newest, of \(size) events, agrees with the log")
    }
}
