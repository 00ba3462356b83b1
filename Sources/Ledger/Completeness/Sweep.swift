public import AppStore

/// A finished look at everything Apple sent in a window: each piece of it stands in the log before
/// this event (`design.md` §3). The evidence of a `sweep` event.
public struct Sweep: Hashable, Sendable {
    /// The app that was asked about.
    public let bundleId: BundleId
    /// The window, by signedDate: `[from, through)`.
    public let from: Timestamp
    public let through: Timestamp
    /// When Apple was asked first: nothing sent later is claimed to be here.
    public let askedAt: Timestamp
    /// The end of the log when it was asked.
    public let startPosition: Int64
    /// Notifications that Apple's history held.
    public let fetchedCount: Int64

    /// A sweep of these parts.
    public init(
        bundleId: BundleId, from: Timestamp, through: Timestamp, askedAt: Timestamp,
        startPosition: Int64, fetchedCount: Int64
    ) {
        self.bundleId = bundleId
        self.from = from
        self.through = through
        self.askedAt = askedAt
        self.startPosition = startPosition
        self.fetchedCount = fetchedCount
    }
}

extension Sweep {
    /// The evidence of the event: one JSON object, its members always in this order.
    public var evidence: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("sweep", "notificationHistory")
            json.member("bundleId", bundleId)
            json.member("from", from.milliseconds)
            json.member("through", through.milliseconds)
            json.member("askedAt", askedAt.milliseconds)
            json.member("startPosition", startPosition)
            json.member("fetched", fetchedCount)
        }
        return json.bytes
    }

    /// Reads what `evidence` wrote; nil for what this version does not understand.
    public init?(evidence: JSONValue) {
        guard evidence["sweep"]?.string == "notificationHistory",
            let bundleId = evidence["bundleId"]?.string, let from = evidence["from"]?.int64,
            let through = evidence["through"]?.int64, let askedAt = evidence["askedAt"]?.int64,
            let start = evidence["startPosition"]?.int64, let fetched = evidence["fetched"]?.int64
        else { return nil }
        self.init(
            bundleId: BundleId(bundleId), from: Timestamp(milliseconds: from).clamped,
            through: Timestamp(milliseconds: through).clamped,
            askedAt: Timestamp(milliseconds: askedAt).clamped, startPosition: start,
            fetchedCount: fetched)
    }
}
