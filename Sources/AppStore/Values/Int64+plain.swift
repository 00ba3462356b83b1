extension Int64 {
    /// A number of a query or a cursor: decimal digits without a leading zero, or `0`; a minus
    /// before them is the only sign. Every number has this one spelling, so that no two texts mean
    /// the same. Nil for any other text, and for what does not fit into 64 bits.
    public init?(plain text: some StringProtocol) {
        guard let number = Int64(text), String(number) == text else { return nil }
        self = number
    }
}
