public import AppStore

/// The body of `POST /v1/recoveries`: `{"from":…,"to"?:…,"bundleId"?:"…"}`.
public struct RecoveryBody: Sendable {
    public let from: Timestamp
    /// Nil: now.
    public let to: Timestamp?
    /// Nil: the only app with a key.
    public let bundleId: BundleId?

    public static let maximumByteCount = 16 * 1024

    public init(from: Timestamp, to: Timestamp? = nil, bundleId: BundleId? = nil) {
        self.from = from
        self.to = to
        self.bundleId = bundleId
    }

    /// Throws `malformed` for an invalid body.
    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let value = try IntakeRefusal.json(body)
        guard let from = try RecoveryBody.time("from", value) else {
            throw RecoveryBody.invalidTime("from")
        }
        self.init(
            from: from, to: try RecoveryBody.time("to", value),
            bundleId: try IntakeRefusal.text("bundleId", value).map { BundleId($0) })
    }

    private static func time(
        _ key: String, _ body: JSONValue
    ) throws(IntakeRefusal) -> Timestamp? {
        guard let member = body[key], !member.isNull else { return nil }
        let text = member.string ?? member.int64.map { String($0) }
        guard let time = text.flatMap({ Timestamp(userInput: $0) }) else {
            throw invalidTime(key)
        }
        return time
    }

    private static func invalidTime(_ key: String) -> IntakeRefusal {
        IntakeRefusal(
            .malformed, code: "invalidTime",
            message: "\(key) takes RFC 3339 (2026-01-31T23:59:59.000Z) or epoch milliseconds.")
    }
}
