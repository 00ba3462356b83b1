/// What an app has configured for retention messages.
struct ServedMessaging: Sendable {
    /// The size, if stated, by UUID.
    var images: [String: String?] = [:]
    /// The images in use, by UUID of the message.
    var messages: [String: Set<String>] = [:]
    /// The message, by product and locale.
    var defaults: [String: String] = [:]
    var realtimeURL: String?
    /// By `requestId`.
    var tests: [String: ServedPerformanceTest] = [:]

    /// Most images and messages of one app (Retention Messaging API, Upload Image, Upload Message).
    static let count = 2_000
}
