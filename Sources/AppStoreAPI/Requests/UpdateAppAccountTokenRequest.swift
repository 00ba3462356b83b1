public import AppStore

/// Assigns a subscription to an account (App Store Server API, Set App Account Token). Applies to
/// the current transaction and later ones.
public struct UpdateAppAccountTokenRequest: WireObject {
    /// A UUID.
    public var appAccountToken: String?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "appAccountToken": try cursor.read(&appAccountToken, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("appAccountToken", appAccountToken)
    }
}
