public import AppStore
public import AppStoreAPI

/// The result of a TEST notification (`Contract.md`, `test-notification`).
public struct TestNotificationReport: Sendable, Equatable, JSONObjectWritable {
    public let environment: Environment
    public let bundleId: BundleId
    /// Identifies it at Apple, for about six months; nil when none was sent.
    public package(set) var token: String?
    public package(set) var notificationUUID: NotificationUUID?
    /// Apple's report of each delivery attempt.
    public package(set) var attempts: [SendAttemptItem] = []
    /// Its position in the log; nil when it is not there.
    public package(set) var position: Int64?
    /// When it arrived here.
    public package(set) var receivedAt: Timestamp?
    public package(set) var diagnosis: TestNotificationDiagnosis = .noResult

    /// Whether it is in this ledger.
    public var hasArrived: Bool { position != nil }

    public func writeMembers(to json: inout JSONWriter) {
        json.member("arrived", hasArrived)
        json.member("environment", environment.rawValue)
        json.member("bundleId", bundleId)
        json.member("testNotificationToken", token)
        json.member("notificationUUID", notificationUUID)
        json.objects("sendAttempts", attempts) { json, attempt in
            json.member("attemptDate", attempt.attemptDate)
            json.member("sendAttemptResult", attempt.sendAttemptResult)
        }
        json.member("position", position)
        json.member("receivedAt", receivedAt)
        json.object("diagnosis") { json in
            json.member("code", diagnosis.code)
            json.member("message", diagnosis.message)
        }
    }

    /// The report as text lines.
    public var lines: [String] {
        var lines = attempts.map { attempt in
            let date = attempt.attemptDate?.rfc3339 ?? "at an unknown time"
            let result = attempt.sendAttemptResult?.rawValue ?? "no result"
            return "Apple's attempt \(date): \(result)"
        }
        if let position, let receivedAt {
            lines.append("in the log at position \(position), received \(receivedAt.rfc3339)")
        }
        return lines + ["\(diagnosis.code): \(diagnosis.message)"]
    }
}
