extension Int64 {
    /// The sum, or `Int64.max` with its sign where it does not fit: more than any report holds
    /// (`RollForward.largestAmount`), and still a number that can be negated and compared.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? -.max : .max) : Swift.max(sum, -.max)
    }

    /// Whether a report can hold it as a sum.
    package var isReportable: Bool { magnitude <= RollForward.largestAmount.magnitude }
}
