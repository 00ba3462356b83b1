public import AppStore

/// The position reached in a customer's history, so that Apple is queried only for later entries.
public struct HistoryPlace: Hashable, Sendable {
    /// Identifies the history.
    public struct Key: Hashable, Sendable {
        public let bundleId: BundleId
        /// The id that was queried, of any kind.
        public let id: String
        /// `transactionHistory` or `refundHistory`.
        public let endpoint: String

        public init(bundleId: BundleId, id: String, endpoint: String) {
            self.bundleId = bundleId
            self.id = id
            self.endpoint = endpoint
        }
    }

    /// Apple's revision token after the last page.
    public let revision: String
    /// The end of the log that held everything up to there. A log that does not contain it (a
    /// restored backup, a fork) may lack some of it; the history is then fetched completely.
    public let log: ProjectionCursor

    public init(revision: String, log: ProjectionCursor) {
        self.revision = revision
        self.log = log
    }
}
