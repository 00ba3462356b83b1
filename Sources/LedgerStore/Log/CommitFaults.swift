/// Failures a test can put around COMMIT, where the outcome is hardest to know. Nothing else may
/// conform outside tests.
package protocol CommitFaults: Sendable {
    /// Called when everything is written, before COMMIT: throwing stands for one that failed.
    func willCommit() throws
    /// Called after COMMIT returned: throwing stands for one whose answer was lost.
    func didCommit() throws
}
