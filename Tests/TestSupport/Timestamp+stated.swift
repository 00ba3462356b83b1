import AppStore
import Testing

extension Timestamp {
    /// A moment written in RFC 3339.
    package static func stated(_ text: String) throws -> Timestamp {
        let time = Timestamp(rfc3339: text)
        return try #require(time, "\(text) is no time")
    }
}
