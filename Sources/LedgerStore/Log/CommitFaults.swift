/// Failures that tests inject around COMMIT, where the outcome is hardest to determine. Only tests
/// may conform.
package protocol CommitFaults: Sendable {
    /// Called before COMMIT, when everything is written; throwing simulates a COMMIT that failed.
    func willCommit() throws
    /// Called after COMMIT returned; throwing simulates a lost result.
    func didCommit() throws
}

/// Faults that tests inject into logs opened by the code under test. Only tests may set it.
package enum LogFaults {
    @TaskLocal package static var commits: (any CommitFaults)?
}
