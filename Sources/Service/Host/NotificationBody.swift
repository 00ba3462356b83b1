import AppStore
internal import Intake

/// A body that Apple posts (responseBodyV2, or responseBodyV1 for old endpoints), distinguished by
/// its keys.
enum NotificationBody: Equatable {
    /// The compact JWS of a version 2 notification.
    case signed([UInt8])
    case versionOne(NotificationV1Body)

    /// Largest body of version 2 (`Log.md` §6): 256 KiB.
    static let maximumSignedByteCount = 256 * 1024
    /// Largest body of version 1, which holds a whole receipt (`Log.md` §6): 4 MiB.
    static let maximumByteCount = 4 * 1024 * 1024

    /// Throws `malformed` for anything else, with `payloadTooLarge` for a version 2 body over its
    /// limit.
    ///
    /// When the body is uniquely referenced, the JWS reuses its storage without a copy.
    ///
    /// - Parameter asksForMessage: whether it must be a request for a retention message, which has
    ///   `signedPayload` like version 2, and no version 1.
    init(
        _ body: consuming [UInt8], asksForMessage: Bool = false
    ) throws(IntakeRefusal) {
        let members: Members
        do throws(JSONError) { members = try Members(body) } catch {
            if error.code == .tooManyValues {
                throw IntakeRefusal(
                    .malformed, code: IntakeRefusal.payloadTooLarge,
                    message: "The body holds more than \(NotificationV1.unreadValueCount) values.")
            }
            throw IntakeRefusal.malformedJSON(error)
        }
        guard members.hasSignedPayload else {
            guard !asksForMessage else {
                throw IntakeRefusal.invalidBody(
                    "The body has no signedPayload, and so is no request for a retention message.")
            }
            // responseBodyV1: https://developer.apple.com/documentation/appstoreservernotifications
            guard members.head.isVersionOne else {
                throw IntakeRefusal.invalidBody(
                    "The body has no signedPayload and is not a version 1 notification.")
            }
            self = .versionOne(NotificationV1Body(body, members.head))
            return
        }
        guard body.count <= NotificationBody.maximumSignedByteCount else {
            throw IntakeRefusal(
                .malformed, code: IntakeRefusal.payloadTooLarge,
                message: "A notification of version 2 has at most"
                    + " \(NotificationBody.maximumSignedByteCount) bytes.")
        }
        guard let signedPayload = members.signedPayload else {
            throw IntakeRefusal.invalidBody("signedPayload is not a string.")
        }
        switch signedPayload {
        case .inPlace(let range):
            body.removeSubrange(range.upperBound...)
            body.removeSubrange(..<range.lowerBound)
            self = .signed(body)
        case .unescaped(let bytes): self = .signed(bytes)
        }
    }

    /// The members that distinguish the versions and authenticate version 1, collected in one pass.
    private struct Members {
        var hasSignedPayload = false
        /// Nil when it is not a string.
        var signedPayload: JSONCursor.PlacedText?
        var head = NotificationV1.Head()

        init(_ body: borrowing [UInt8]) throws(JSONError) {
            let members = body.withUnsafeBufferPointer { buffer in
                Result { () throws(JSONError) in try Members.read(buffer) }
            }
            self = try members.get()
        }

        private init() {}

        private static func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> Members {
            var cursor = JSONCursor(bytes, skipping: NotificationV1.unreadValueCount)
            var members = Members()
            guard cursor.isAtObject() else {
                try cursor.skipValue()
                try cursor.finish()
                return members
            }
            var object = try cursor.beginObject()
            while let key = try cursor.nextKey(&object) {
                switch key {
                case "signedPayload":
                    members.hasSignedPayload = true
                    members.signedPayload = try cursor.readTextInPlace()
                default: try members.head.read(key, &cursor)
                }
            }
            try cursor.finish()
            return members
        }
    }
}
