/// No failures but the real ones.
package struct NoCommitFaults: CommitFaults {
    package init() {}
    package func willCommit() {}
    package func didCommit() {}
}
