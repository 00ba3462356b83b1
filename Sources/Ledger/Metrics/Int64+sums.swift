extension Int64 {
    /// The sum, saturated to ±`Int64.max` on overflow: more than any report holds
    /// (`RollForward.largestAmount`), and still safe to negate and compare.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? -.max : .max) : Swift.max(sum, -.max)
    }

    /// Whether it is within the range of a report's sums.
    package var isReportable: Bool { magnitude <= RollForward.largestAmount.magnitude }
}
