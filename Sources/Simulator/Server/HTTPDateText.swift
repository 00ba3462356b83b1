import AppStore
import Foundation

/// Dates of HTTP headers (RFC 9110 §5.6.7).
enum HTTPDateText {
    static func text(_ moment: Timestamp) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(
            from: Date(timeIntervalSince1970: Double(moment.milliseconds / 1_000)))
    }
}
