public import AppStore

/// Apple has taken the order to extend (App Store Server API, Extend Subscription Renewal Dates for
/// All Active Subscribers). It is carried out in hours to days.
public struct MassExtendRenewalDateResponse: WireObject {
    /// The one that was sent.
    public var requestIdentifier: String?

    /// Members under keys this version does not know, in their order.
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
