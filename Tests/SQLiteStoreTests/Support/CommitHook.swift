import LedgerStore

/// Runs a closure around COMMIT, without failing it.
struct CommitHook: CommitFaults {
    var before: @Sendable () -> Void = {}
    var after: @Sendable () -> Void = {}

    func willCommit() { before() }
    func didCommit() { after() }
}
