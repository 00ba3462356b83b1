internal import LedgerStore

/// How one transaction ended.
enum AppendAttempt {
    /// Committed or rolled back, and known to be.
    case finished([AppendBatch.Answer])
    /// COMMIT failed: the rows may be in the file nonetheless, or turn up in it after a restart.
    /// What to look for, what to answer if it is there, and how COMMIT failed.
    case unknown(AppendTrace, [AppendBatch.Answer], StoreError)
}
