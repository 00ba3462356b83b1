public import AppStore

/// A finished pass over everything Apple sent in a window: each piece precedes this event in the
/// log (`Log.md` §3). The evidence of a `sweep` event.
public struct Sweep: Hashable, Sendable {
    public let bundleId: BundleId
    /// The window, by signedDate: `[from, through)`.
    public let from: Timestamp
    public let through: Timestamp
    /// Time of the first request: nothing sent later is covered.
    public let requestedAt: Timestamp
    /// The end of the log at that time.
    public let startPosition: Int64
    /// Number of notifications in Apple's history.
    public let fetchedCount: Int64

    public init(
        bundleId: BundleId, from: Timestamp, through: Timestamp, requestedAt: Timestamp,
        startPosition: Int64, fetchedCount: Int64
    ) {
        self.bundleId = bundleId
        self.from = from
        self.through = through
        self.requestedAt = requestedAt
        self.startPosition = startPosition
        self.fetchedCount = fetchedCount
    }
}

extension Sweep {
    /// The event's evidence: one JSON object with a fixed member order.
    public var evidence: [UInt8] {
        JSONWriter.object { json in
            json.member("sweep", "notificationHistory")
            json.member("bundleId", bundleId)
            json.member("from", from.milliseconds)
            json.member("through", through.milliseconds)
            json.member("askedAt", requestedAt.milliseconds)
            json.member("startPosition", startPosition)
            json.member("fetched", fetchedCount)
        }
    }

    /// Parses `evidence`; nil if this version does not understand it.
    public init?(evidence: JSONValue) {
        guard evidence["sweep"]?.string == "notificationHistory",
            let bundleId = evidence["bundleId"]?.string, let from = evidence["from"]?.int64,
            let through = evidence["through"]?.int64, let requestedAt = evidence["askedAt"]?.int64,
            let start = evidence["startPosition"]?.int64, let fetched = evidence["fetched"]?.int64
        else { return nil }
        self.init(
            bundleId: BundleId(bundleId), from: Timestamp(milliseconds: from).clamped,
            through: Timestamp(milliseconds: through).clamped,
            requestedAt: Timestamp(milliseconds: requestedAt).clamped, startPosition: start,
            fetchedCount: fetched)
    }
}
