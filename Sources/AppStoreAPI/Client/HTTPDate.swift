import AppStore
import Foundation

/// Parses dates of HTTP headers.
enum HTTPDate {
    /// The preferred form of RFC 9110 §5.6.7, `Sun, 06 Nov 1994 08:49:37 GMT`; nil for any other.
    static func read(_ text: String) -> Timestamp? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard text.utf8.count <= 40, let date = formatter.date(from: text) else { return nil }
        return Timestamp(milliseconds: Int64(date.timeIntervalSince1970) * 1_000)
    }
}

extension TransportResponse {
    /// The responding clock, to the second; nil if not stated.
    var appleDate: Timestamp? { date.flatMap { HTTPDate.read($0) } }
}

/// Parses `Retry-After`.
enum RetryAfter {
    /// Smaller numbers are seconds from now (RFC 9110 §10.2.3), larger ones Apple's milliseconds
    /// since 1970: 2001-09-09, or as seconds more than 30,000 years.
    static let firstDate: Int64 = 1_000_000_000_000

    /// The earliest time of the next request; nil if the text has neither form.
    static func read(_ text: String?, now: Timestamp) -> Timestamp? {
        guard let number = text.flatMap({ Int64($0.trimmingCharacters(in: .whitespaces)) }),
            number >= 0
        else { return nil }
        if number >= firstDate { return Timestamp(milliseconds: number) }
        return now.advanced(byMilliseconds: number * 1_000)
    }
}
