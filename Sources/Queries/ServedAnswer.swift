package import AppStore
import Signing

/// An encoded answer, as sent over the wire.
public struct ServedAnswer: Sendable {
    /// JSON.
    public let bytes: [UInt8]
    /// Weak (RFC 9110 §8.8.1): equal while only the time and position of the query change.
    public let entityTag: String
    /// The position the answers of this state include.
    public let position: Int64
    /// Positions of the log beyond it.
    public let lag: Int64

    package init(bytes: [UInt8], entityTag: String, position: Int64, lag: Int64) {
        self.bytes = bytes
        self.entityTag = entityTag
        self.position = position
        self.lag = lag
    }

    /// An answer whose stamp comes last: encoded once, without a second copy.
    package init(unstamped bytes: consuming [UInt8], stamp: String, position: Int64, lag: Int64) {
        entityTag = ServedAnswer.entityTag(of: bytes)
        bytes += Array(stamp.utf8)
        self.bytes = bytes
        self.position = position
        self.lag = lag
    }

    /// - Parameter bytes: the answer without its stamp, the time and position of the query.
    package static func entityTag(of bytes: [UInt8]) -> String {
        "W/\"\(SHA256.hash(bytes).hexadecimal.prefix(tagCharacterCount))\""
    }

    /// Of the digest's 64 hexadecimal digits.
    static let tagCharacterCount = 32

    /// Writes the answer twice: stamped for the reader, unstamped for the tag.
    package init(position: Int64, lag: Int64, _ write: (inout JSONWriter) -> Void) {
        self.init(position: position, lag: lag, atMost: .max, write)!
    }

    /// As without `count`; nil for an answer with more bytes, which is not written to its end.
    package init?(
        position: Int64, lag: Int64, atMost count: Int, _ write: (inout JSONWriter) -> Void
    ) {
        var json = JSONWriter()
        json.byteLimit = count
        write(&json)
        guard json.bytes.count <= count else { return nil }
        var tagged = JSONWriter()
        tagged.isStamped = false
        write(&tagged)
        self.init(
            bytes: json.bytes, entityTag: ServedAnswer.entityTag(of: tagged.bytes),
            position: position, lag: lag)
    }
}
