public import AppStore

/// The body of `POST /v1/customers/{id}/grants` (`Contract.md`): `{"entitlement":"…","until":…}`.
public struct GrantBody: Sendable {
    public let entitlement: String
    /// When the grant ends.
    public let until: Timestamp

    public static let maximumByteCount = 16 * 1024

    /// Throws `malformed` for an invalid body; the command checks the length of texts.
    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let value = try IntakeRefusal.json(body)
        guard let entitlement = value["entitlement"]?.string else {
            throw IntakeRefusal.invalidBody("entitlement is required, a string.")
        }
        guard let until = GrantBody.time(value["until"]) else {
            throw IntakeRefusal(
                .malformed, code: "invalidTime",
                message: "until is required: RFC 3339 (2026-01-31T23:59:59.000Z) or epoch"
                    + " milliseconds.")
        }
        self.entitlement = entitlement
        self.until = until
    }

    private static func time(_ value: JSONValue?) -> Timestamp? {
        if let text = value?.string { return Timestamp(userInput: text) }
        return value?.int64.flatMap { Timestamp(userInput: String($0)) }
    }
}
