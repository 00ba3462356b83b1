/// Why an operator's request is refused; nothing was done.
public struct OperatorError: Error, Sendable, Equatable {
    /// Stable; scripts rely on them.
    public enum Code: String, Sendable, CaseIterable {
        /// Quarantine has no such item.
        case noSuchItem
        /// No webhook of that name is configured in this environment.
        case noSuchEndpoint
        /// No such recovery is running or remembered.
        case noSuchRecovery
        /// No such report is running or kept.
        case noSuchJob
        /// Too many reports are being made, or the client disconnected while its report waited.
        case tooManyJobs
        /// A recovery is running in this ledger.
        case recoveryRunning
        /// This process is auditing a log, of this or another environment.
        case auditRunning
        /// No API key of Apple's is configured for the app.
        case missingKey
    }

    public let code: Code
    /// What is wrong, and what to do.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
