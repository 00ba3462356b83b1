public import AppStore

/// An input that could not be accepted.
public struct NewQuarantineItem: Sendable {
    public var receivedAt: Timestamp
    public var standing: QuarantineStanding
    /// The standing to use when there is no room for its own; nil to refuse it then.
    public var otherwise: QuarantineStanding?
    /// The stable code of the error that prevented acceptance (`Contract.md`).
    public var code: String
    /// Which signed part failed: outer, transaction, renewal; nil where that is not applicable.
    public var part: String?
    /// One sentence for people; never the payload.
    public var message: String
    /// If known; for an unverifiable input never more than its own claim.
    public var bundleId: BundleId?
    public var environment: String?
    /// The input as received.
    public var bytes: [UInt8]
    /// Where it came from, e.g. `file:line`.
    public var input: String

    public init(
        receivedAt: Timestamp, standing: QuarantineStanding, code: String, part: String? = nil,
        message: String, bundleId: BundleId? = nil, environment: String? = nil, bytes: [UInt8],
        input: String
    ) {
        self.receivedAt = receivedAt
        self.standing = standing
        self.code = code
        self.part = part
        self.message = message
        self.bundleId = bundleId
        self.environment = environment
        self.bytes = bytes
        self.input = input
    }
}
