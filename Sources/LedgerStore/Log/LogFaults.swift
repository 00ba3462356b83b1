/// What tests let happen to the logs that are opened by whatever they call. Nothing else may set it.
package enum LogFaults {
    /// Around COMMIT, where the outcome is hardest to know.
    @TaskLocal package static var commits: any CommitFaults = NoCommitFaults()
}
