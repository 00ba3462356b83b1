public import AppStore
import AppStoreAPI
import Signing

/// A notification that Apple could not deliver, according to its history (`sendAttempts`).
public struct UndeliveredNotification: Hashable, Sendable {
    /// The object as reported and stored: `{"notificationUUID","notificationType","subtype",
    /// "originalTransactionId","signedDate","attempts":[{"at","result"}]}`.
    public let body: JSONValue
    let uuid: String
    /// When it was signed; nil where not stated.
    let signedDate: Timestamp?

    /// The result of each attempt, as Apple names it.
    public var results: [String] {
        (body["attempts"]?.array ?? []).compactMap { $0["result"]?.string }
    }

    /// `body` in its stored form.
    var text: String { String(decoding: body.encoded(), as: UTF8.self) }

    /// Nil for a delivered notification, and for anything but a notification.
    init?(_ item: NotificationHistoryResponseItem) {
        let attempts = item.sendAttempts ?? []
        let isDelivered = attempts.contains {
            $0.sendAttemptResult?.value == .success
        }
        guard !isDelivered, !attempts.isEmpty, let token = item.signedPayload,
            // Read unverified: it is only reported and decides nothing.
            let payload = try? NotificationPayload.decode(
                CompactJWS(parsing: Array(token.utf8)).payload),
            let uuid = payload.notificationUUID?.rawValue
        else { return nil }
        self.uuid = uuid
        signedDate = payload.signedDate
        let json = JSONWriter.object { json in
            json.member("notificationUUID", uuid)
            json.member("notificationType", payload.notificationType?.rawValue)
            json.member("subtype", payload.subtype?.rawValue)
            json.member("signedDate", payload.signedDate)
            json.objects("attempts", attempts) { json, attempt in
                json.member("at", attempt.attemptDate)
                json.member("result", attempt.sendAttemptResult?.rawValue)
            }
        }
        guard let body = try? JSONValue.parse(json) else { return nil }
        self.body = body
    }

    /// Parses the stored form of `body`; nil for anything else.
    init?(kept text: String) {
        guard let body = try? JSONValue.parse(Array(text.utf8)),
            let uuid = body["notificationUUID"]?.string
        else { return nil }
        self.body = body
        self.uuid = uuid
        signedDate = body["signedDate"]?.string.flatMap { Timestamp(userInput: $0) }
    }
}
