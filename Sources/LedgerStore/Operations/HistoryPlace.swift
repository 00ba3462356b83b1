public import AppStore

/// Where a customer's history was left, so that Apple is asked only for what came since.
public struct HistoryPlace: Hashable, Sendable {
    /// Whose history, of which kind.
    public struct Key: Hashable, Sendable {
        public let bundleId: BundleId
        /// The id that was asked about, of whatever kind.
        public let id: String
        /// `transactionHistory` or `refundHistory`.
        public let endpoint: String

        public init(bundleId: BundleId, id: String, endpoint: String) {
            self.bundleId = bundleId
            self.id = id
            self.endpoint = endpoint
        }
    }

    /// Apple's name of the place after the last page.
    public let revision: String
    /// The end of the log that held everything up to there. A log that does not confirm it (a
    /// restored backup, a fork) may lack some of it, and the history is then fetched whole.
    public let log: Checkpoint

    public init(revision: String, log: Checkpoint) {
        self.revision = revision
        self.log = log
    }
}
