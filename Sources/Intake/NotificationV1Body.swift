package import AppStore
import Signing

/// The body of a version 1 notification as posted or stored. Its head is parsed once, whatever the
/// outcome: any client can post a body, and each parse costs more with each key.
package struct NotificationV1Body: Sendable, Undisclosed {
    package let bytes: [UInt8]
    /// The location of its password, or why it has none.
    private let reading: Result<SealedNotificationV1, VerificationError>
    private let head: NotificationV1.Head?

    package init(_ bytes: [UInt8]) {
        do throws(JSONError) { self.init(bytes, try NotificationV1.head(of: bytes)) } catch {
            self.init(bytes, .failure(NotificationV1Body.unreadable(error)), nil)
        }
    }

    /// A body whose head was parsed to determine its version.
    package init(_ bytes: [UInt8], _ head: NotificationV1.Head) {
        let sealed = SealedNotificationV1(bytes, head)
        self.init(
            bytes, sealed.map { .success($0) } ?? .failure(NotificationV1Body.withoutPassword), head
        )
    }

    private init(
        _ bytes: [UInt8], _ reading: Result<SealedNotificationV1, VerificationError>,
        _ head: NotificationV1.Head?
    ) {
        self.bytes = bytes
        self.reading = reading
        self.head = head
    }

    /// Throws `undecodablePayload` for invalid JSON, `payloadTooLarge` for more values before a
    /// password than are read, `wrongSharedSecret` without a password.
    package var sealed: SealedNotificationV1 {
        get throws(VerificationError) { try reading.get() }
    }

    /// The receipt inside it, in base64; nil without one.
    var latestReceipt: [UInt8]? { head?.latestReceipt(in: bytes) }

    /// The environment it names, before verification.
    var claimedEnvironment: Environment? {
        guard let name = head?.environment else { return nil }
        return name == "PROD" ? .production : Environment(rawValue: name)
    }

    private static var withoutPassword: VerificationError {
        VerificationError(
            .wrongSharedSecret,
            reason: "A version 1 notification has a password; this one has none.")
    }

    private static func unreadable(_ error: JSONError) -> VerificationError {
        guard error.code != .tooManyValues else {
            return VerificationError(
                .payloadTooLarge,
                reason: "The body holds more than \(NotificationV1.unreadValueCount) values.")
        }
        return VerificationError(
            .undecodablePayload, reason: "The body is not valid JSON (\(error.code.rawValue)).")
    }
}

extension NotificationV1Body: Equatable {
    package static func == (left: NotificationV1Body, right: NotificationV1Body) -> Bool {
        left.bytes == right.bytes
    }
}
