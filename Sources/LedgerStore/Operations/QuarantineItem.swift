public import AppStore

/// An input in quarantine.
public struct QuarantineItem: Sendable {
    /// Never reused after a removal.
    public let id: Int64
    /// The first and the latest delivery of these bytes.
    public let receivedAt: Timestamp
    public let latestAt: Timestamp
    /// Deliveries of these bytes.
    public let attempts: Int64
    public let standing: QuarantineStanding
    public let code: String
    public let part: String?
    public let message: String
    public let bundleId: BundleId?
    public let environment: String?
    public let input: String
    /// Size as received; larger than `bytes` when the copy was truncated.
    public let byteCount: Int64
    /// The kept copy; empty in a list.
    public let bytes: [UInt8]
}
