public import AppStore

/// A page of a customer's transactions (App Store Server API, Get Transaction History).
public struct HistoryResponse: WireObject {
    /// Token of the next page. May be stored, to resume from it later.
    public var revision: String?
    /// Whether another page follows.
    public var hasMore: Bool?
    /// The app.
    public var bundleId: BundleId?
    /// Apple's number of the app; absent in Sandbox.
    public var appAppleId: Int64?
    /// The environment that responded.
    public var environment: Raw<Environment>?
    /// Compact JWS, each a `TransactionPayload`; at most 20 on a page.
    public var signedTransactions: [String]?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "revision": try cursor.read(&revision, key)
        case "hasMore": try cursor.read(&hasMore, key)
        case "bundleId": try cursor.read(&bundleId, key)
        case "appAppleId": try cursor.read(&appAppleId, key)
        case "environment": try cursor.read(&environment, key)
        case "signedTransactions": try cursor.read(&signedTransactions, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("revision", revision)
        json.memberIfPresent("hasMore", hasMore)
        json.memberIfPresent("bundleId", bundleId)
        json.memberIfPresent("appAppleId", appAppleId)
        json.memberIfPresent("environment", environment)
        if let signedTransactions { json.array("signedTransactions", signedTransactions) }
    }

    public var unknownValues: [String] {
        var names: [String] = []
        if let environment, environment.value == nil { names.append("environment") }
        return names
    }
}
