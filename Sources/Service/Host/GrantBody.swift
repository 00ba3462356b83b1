public import AppStore

/// What `POST /v1/customers/{id}/grants` takes (`contract.md`): `{"entitlement":"…","until":…}`.
public struct GrantBody: Sendable {
    public let entitlement: String
    /// When it ends.
    public let until: Timestamp

    public static let maximumByteCount = 16 * 1024

    /// Throws `malformed` for what is none; bounds of words are the command's.
    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(body) } catch {
            throw IntakeRefusal(
                .malformed, code: "malformedJSON",
                message: "The body is not valid JSON (\(error.code.rawValue)).")
        }
        guard let entitlement = value["entitlement"]?.string else {
            throw IntakeRefusal(
                .malformed, code: "invalidBody", message: "entitlement is required, a string.")
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
