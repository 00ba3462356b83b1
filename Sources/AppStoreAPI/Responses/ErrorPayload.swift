public import AppStore

/// A rejection (App Store Server API, Error Codes). A 401 has none.
public struct ErrorPayload: WireObject {
    /// Apple's error number.
    public var errorCode: Raw<APIErrorCode>?
    /// Apple's text for people. Never logged; `APIFailure` has its own.
    public var errorMessage: String?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "errorCode": try cursor.read(&errorCode, key)
        case "errorMessage": try cursor.read(&errorMessage, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("errorCode", errorCode)
        json.memberIfPresent("errorMessage", errorMessage)
    }

    public var unknownValues: [String] {
        var names: [String] = []
        if let errorCode, errorCode.value == nil { names.append("errorCode") }
        return names
    }
}
