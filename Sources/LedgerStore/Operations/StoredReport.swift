public import AppStore

/// The stored report of a recovery, as it was when it ended.
public struct StoredReport: Hashable, Sendable {
    /// The app whose notifications were requested.
    public let bundleId: BundleId
    public let endedAt: Timestamp
    /// Whether something could not be recorded.
    public let isFlawed: Bool
    /// One JSON object.
    public let json: String
    /// For people.
    public let text: String

    /// A report to keep.
    public init(
        bundleId: BundleId, endedAt: Timestamp, isFlawed: Bool, json: String, text: String
    ) {
        self.bundleId = bundleId
        self.endedAt = endedAt
        self.isFlawed = isFlawed
        self.json = json
        self.text = text
    }
}

/// A stored report in a list.
public struct StoredReportEntry: Hashable, Sendable {
    /// Rises with every report; never reused.
    public let id: Int64
    public let bundleId: BundleId
    public let endedAt: Timestamp
    /// Whether something could not be recorded.
    public let isFlawed: Bool
}
