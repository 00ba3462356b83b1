/// A token of an external purchase (App Store Server Notifications, `externalPurchaseToken`). Not
/// a subscription event.
public struct ExternalPurchaseToken: WireObject {
    /// Begins with `SANDBOX` in the sandbox.
    public var externalPurchaseId: String?
    /// When Apple created the token.
    public var tokenCreationDate: Timestamp?
    /// Apple's number of the app.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: BundleId?
    /// When it can no longer be reported.
    public var tokenExpirationDate: Timestamp?
    /// What the token is for.
    public var tokenType: Raw<ExternalPurchaseTokenType>?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "externalPurchaseId": try cursor.read(&externalPurchaseId, key)
        case "tokenCreationDate": try cursor.read(&tokenCreationDate, key)
        case "appAppleId": try cursor.read(&appAppleId, key)
        case "bundleId": try cursor.read(&bundleId, key)
        case "tokenExpirationDate": try cursor.read(&tokenExpirationDate, key)
        case "tokenType": try cursor.read(&tokenType, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("externalPurchaseId", externalPurchaseId)
        json.memberIfPresent("tokenCreationDate", tokenCreationDate?.milliseconds)
        json.memberIfPresent("appAppleId", appAppleId)
        json.memberIfPresent("bundleId", bundleId)
        json.memberIfPresent("tokenExpirationDate", tokenExpirationDate?.milliseconds)
        json.memberIfPresent("tokenType", tokenType)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("tokenType", tokenType)
        return names.names
    }
}
