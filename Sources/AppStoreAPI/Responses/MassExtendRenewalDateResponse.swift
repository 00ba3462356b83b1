public import AppStore

/// Apple has accepted the extension (App Store Server API, Extend Subscription Renewal Dates for
/// All Active Subscribers). It takes hours to days.
public struct MassExtendRenewalDateResponse: WireObject {
    /// That of the request.
    public var requestIdentifier: String?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "requestIdentifier": try cursor.read(&requestIdentifier, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("requestIdentifier", requestIdentifier)
    }
}
