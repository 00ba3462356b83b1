/// Faults that tests inject into logs opened by the code under test. Only tests may set it.
package enum LogFaults {
    /// Around COMMIT, where the outcome is hardest to determine.
    @TaskLocal package static var commits: any CommitFaults = NoCommitFaults()
}
