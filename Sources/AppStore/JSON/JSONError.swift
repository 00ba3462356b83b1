/// Why bytes are not the expected JSON. Contains the place, never contents: payloads hold personal
/// data, and errors are logged.
public struct JSONError: Error, Hashable, Sendable {
    /// Stable codes; clients compare the raw value.
    public enum Code: String, Sendable, CaseIterable {
        /// Violates the grammar of RFC 8259 at `offset`.
        case malformed
        /// The text ends inside a value.
        case unexpectedEnd
        /// More than `JSONLimits.depth` containers are open at once.
        case tooDeep
        /// More values are skipped than the reader was allowed.
        case tooManyValues
        /// An object has a duplicate key. RFC 8259 §4 leaves the meaning open, so two readers could
        /// interpret one signed payload differently.
        case duplicateKey
        /// A string is not well-formed UTF-8 (RFC 3629).
        case invalidUTF8
        /// A `\u` escape is half of a surrogate pair (RFC 8259 §8.2).
        case loneSurrogate
        /// Bytes other than white space follow the value.
        case trailingBytes
        /// A known field holds a value of another JSON type.
        case wrongType
        /// A number of a known field is outside Int64, or a date outside the years 1 to 9999.
        case numberOutOfRange
    }

    /// What is wrong.
    public let code: Code
    /// Byte offset into the text at which the error was detected.
    public let offset: Int
    /// The known field concerned. Only names from this code, never a key from the text.
    public let field: String?

    /// `field` must be a name from this code, never a key from the text.
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
