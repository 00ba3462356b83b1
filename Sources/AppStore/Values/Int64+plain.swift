extension Int64 {
    /// A number in a query or cursor: decimal digits without a leading zero, or `0`, with an
    /// optional minus as the only sign. Every number has exactly one spelling. Nil for any other
    /// text, and for numbers that do not fit 64 bits.
    public init?(plain text: some StringProtocol) {
        guard let number = Int64(text), String(number) == text else { return nil }
        self = number
    }
}
