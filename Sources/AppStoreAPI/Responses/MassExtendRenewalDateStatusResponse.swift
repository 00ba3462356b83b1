public import AppStore

/// Progress of a mass extension (App Store Server API, Get Status of Subscription Renewal Date
/// Extensions).
public struct MassExtendRenewalDateStatusResponse: WireObject {
    /// That of the request.
    public var requestIdentifier: String?
    /// Whether every subscriber was processed.
    public var complete: Bool?
    /// Time of completion; absent until then.
    public var completeDate: Timestamp?
    /// Subscriptions extended; absent until complete.
    public var succeededCount: Int64?
    /// Subscriptions not extended; absent until complete.
    public var failedCount: Int64?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "requestIdentifier": try cursor.read(&requestIdentifier, key)
        case "complete": try cursor.read(&complete, key)
        case "completeDate": try cursor.read(&completeDate, key)
        case "succeededCount": try cursor.read(&succeededCount, key)
        case "failedCount": try cursor.read(&failedCount, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("requestIdentifier", requestIdentifier)
        json.memberIfPresent("complete", complete)
        json.memberIfPresent("completeDate", completeDate?.milliseconds)
        json.memberIfPresent("succeededCount", succeededCount)
        json.memberIfPresent("failedCount", failedCount)
    }
}
