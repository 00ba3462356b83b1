public import AppStore

/// The current status of every subscription of the customer (App Store Server API, Get All
/// Subscription Statuses).
public struct StatusResponse: WireObject {
    /// The environment that responded.
    public var environment: Raw<Environment>?
    /// The app.
    public var bundleId: BundleId?
    /// Apple's number of the app; absent in Sandbox.
    public var appAppleId: Int64?
    /// One item per subscription group.
    public var data: [SubscriptionGroupIdentifierItem]?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "environment": try cursor.read(&environment, key)
        case "bundleId": try cursor.read(&bundleId, key)
        case "appAppleId": try cursor.read(&appAppleId, key)
        case "data": try cursor.read(&data, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("environment", environment)
        json.memberIfPresent("bundleId", bundleId)
        json.memberIfPresent("appAppleId", appAppleId)
        if let data { json.array("data", data) }
    }

    public var unknownValues: [String] {
        var names: [String] = []
        if let environment, environment.value == nil { names.append("environment") }
        for name in (data ?? []).flatMap(\.unknownValues) where !names.contains("data.\(name)") {
            names.append("data.\(name)")
        }
        return names
    }
}
