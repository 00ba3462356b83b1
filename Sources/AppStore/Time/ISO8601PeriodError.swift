/// Why a text is not a period `ISO8601Period` reads.
public struct ISO8601PeriodError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable codes; the raw value is what machines read.
    public enum Code: String, Sendable, CaseIterable {
        /// A byte that cannot stand at `offset`.
        case malformed
        /// `P` or `T` with no number after it.
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
