internal import LedgerStore

/// The outcome of one transaction.
enum AppendAttempt {
    /// Known to be committed or rolled back.
    case finished([AppendBatch.Answer])
    /// COMMIT failed: the rows may be in the file nevertheless, or appear in it after a restart.
    /// Holds what to look for, the answers if it is there, and the error of COMMIT.
    case unknown(AppendTrace, [AppendBatch.Answer], StoreError)
}
