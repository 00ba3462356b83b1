/// Why a text is not a valid `ISO8601Period`.
public struct ISO8601PeriodError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable codes; clients compare the raw value.
    public enum Code: String, Sendable, CaseIterable {
        /// An unexpected byte at `offset`.
        case malformed
        /// `P` or `T` without a number after it.
        case empty
        /// A number of more than `ISO8601Period.digits` digits.
        case tooLong
    }

    /// What is wrong.
    public let code: Code
    /// Byte offset into the text.
    public let offset: Int

    init(_ code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// Code and offset, never the text.
    public var description: String { "period \(code.rawValue) at byte \(offset)" }
}
