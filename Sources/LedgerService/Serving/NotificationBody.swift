import AppStore

/// What Apple posts (responseBodyV2, or responseBodyV1 of old endpoints), told apart by its keys.
enum NotificationBody {
    /// The compact JWS of a version 2 notification.
    case signed([UInt8])
    /// A version 1 notification.
    case versionOne

    /// Largest body of version 2 (`design.md` §6).
    static let maximumByteCount = 256 * 1024

    /// Throws `malformed` for anything else.
    init(_ body: [UInt8]) throws(IntakeRefusal) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(body) } catch {
            throw IntakeRefusal(
                .malformed, code: "malformedJSON",
                message: "The body is not valid JSON (\(error.code.rawValue)).")
        }
        if let payload = value["signedPayload"] {
            guard let text = payload.string else {
                throw IntakeRefusal(
                    .malformed, code: "invalidBody", message: "signedPayload is not a string.")
            }
            self = .signed(Array(text.utf8))
            return
        }
        // responseBodyV1: https://developer.apple.com/documentation/appstoreservernotifications
        guard value["notification_type"]?.string != nil || value["unified_receipt"] != nil else {
            throw IntakeRefusal(
                .malformed, code: "invalidBody",
                message: "The body has no signedPayload and is no notification of version 1.")
        }
        self = .versionOne
    }
}
