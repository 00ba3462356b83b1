public import AppStore

/// One attempt to deliver a notification (App Store Server API, `sendAttemptItem`).
public struct SendAttemptItem: WireObject {
    /// Time of the attempt.
    public var attemptDate: Timestamp?
    /// Its result.
    public var sendAttemptResult: Raw<SendAttemptResult>?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "attemptDate": try cursor.read(&attemptDate, key)
        case "sendAttemptResult": try cursor.read(&sendAttemptResult, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("attemptDate", attemptDate?.milliseconds)
        json.memberIfPresent("sendAttemptResult", sendAttemptResult)
    }

    public var unknownValues: [String] {
        var names: [String] = []
        if let sendAttemptResult, sendAttemptResult.value == nil {
            names.append("sendAttemptResult")
        }
        return names
    }
}
