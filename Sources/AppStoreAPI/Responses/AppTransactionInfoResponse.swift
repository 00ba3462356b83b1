public import AppStore

/// The customer's purchase or download of the app itself (App Store Server API, Get App Transaction
/// Info).
public struct AppTransactionInfoResponse: WireObject {
    /// Compact JWS of an `AppTransactionPayload`.
    public var signedAppTransactionInfo: String?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "signedAppTransactionInfo": try cursor.read(&signedAppTransactionInfo, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("signedAppTransactionInfo", signedAppTransactionInfo)
    }
}
