/// Injects no failures.
package struct NoCommitFaults: CommitFaults {
    package init() {}
    package func willCommit() {}
    package func didCommit() {}
}
