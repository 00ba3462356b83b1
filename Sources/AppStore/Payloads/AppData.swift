/// The app transaction a notification is about (App Store Server Notifications, `appData`).
public struct AppData: WireObject {
    /// Apple's number of the app.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: BundleId?
    /// Where the purchase was made.
    public var environment: Raw<Environment>?
    /// Compact JWS of an `AppTransactionPayload`; verified separately.
    public var signedAppTransactionInfo: String?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "appAppleId": try cursor.read(&appAppleId, key)
        case "bundleId": try cursor.read(&bundleId, key)
        case "environment": try cursor.read(&environment, key)
        case "signedAppTransactionInfo": try cursor.read(&signedAppTransactionInfo, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("appAppleId", appAppleId)
        json.memberIfPresent("bundleId", bundleId)
        json.memberIfPresent("environment", environment)
        json.memberIfPresent("signedAppTransactionInfo", signedAppTransactionInfo)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("environment", environment)
        return names.names
    }
}
