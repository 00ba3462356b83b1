/// Result of a mass extension (App Store Server Notifications, `summary`).
public struct NotificationSummary: WireObject {
    /// The developer's identifier of the request.
    public var requestIdentifier: String?
    /// Where the purchase was made.
    public var environment: Raw<Environment>?
    /// Apple's number of the app.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: BundleId?
    /// The product.
    public var productId: ProductId?
    /// ISO 3166-1 alpha-3.
    public var storefrontCountryCodes: [String]?
    /// Subscriptions extended.
    public var succeededCount: Int64?
    /// Subscriptions that could not be extended.
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
        case "environment": try cursor.read(&environment, key)
        case "appAppleId": try cursor.read(&appAppleId, key)
        case "bundleId": try cursor.read(&bundleId, key)
        case "productId": try cursor.read(&productId, key)
        case "storefrontCountryCodes": try cursor.read(&storefrontCountryCodes, key)
        case "succeededCount": try cursor.read(&succeededCount, key)
        case "failedCount": try cursor.read(&failedCount, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("requestIdentifier", requestIdentifier)
        json.memberIfPresent("environment", environment)
        json.memberIfPresent("appAppleId", appAppleId)
        json.memberIfPresent("bundleId", bundleId)
        json.memberIfPresent("productId", productId)
        if let storefrontCountryCodes {
            json.array("storefrontCountryCodes", storefrontCountryCodes)
        }
        json.memberIfPresent("succeededCount", succeededCount)
        json.memberIfPresent("failedCount", failedCount)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("environment", environment)
        return names.names
    }
}
