/// Why bytes are not the JSON that was asked for. Says where, never what: payloads hold personal
/// data, and errors reach logs.
public struct JSONError: Error, Hashable, Sendable {
    /// Stable codes; the raw value is what machines read.
    public enum Code: String, Sendable, CaseIterable {
        /// The grammar of RFC 8259 is broken at `offset`.
        case malformed
        /// The text stops inside a value.
        case unexpectedEnd
        /// More than `JSONLimits.depth` containers are open at once.
        case tooDeep
        /// More values are passed over than the reader was allowed.
        case tooManyValues
        /// One object has a key twice. RFC 8259 §4 leaves the meaning open, so two readers could
        /// believe two things of one signed payload.
        case duplicateKey
        /// A string is not well-formed UTF-8 (RFC 3629).
        case invalidUTF8
        /// A `\u` escape names half of a surrogate pair (RFC 8259 §8.2).
        case loneSurrogate
        /// Something other than white space follows the value.
        case trailingBytes
        /// A known field holds a value of another JSON type.
        case wrongType
        /// A number of a known field is outside Int64, or a date outside the years 1 to 9999.
        case numberOutOfRange
    }

    /// What is wrong.
    public let code: Code
    /// Byte offset into the text at which the trouble was noticed.
    public let offset: Int
    /// The known field concerned. Names we know only, never a key from the text.
    public let field: String?

    /// `field` must be a name of ours, never a key that was read.
    public init(_ code: Code, offset: Int, field: String? = nil) {
        self.code = code
        self.offset = offset
        self.field = field
    }
}

extension JSONError: CustomStringConvertible {
    /// Code, offset and known field: safe for logs.
    public var description: String {
        let place = field.map { " in field \($0)" } ?? ""
        return "\(code.rawValue) at byte \(offset)\(place)"
    }
}
