/// Division rounded to nearest, ties to even.
public enum HalfEven {
    /// - `divisor`: greater than zero.
    public static func quotient<Number: FixedWidthInteger & SignedInteger>(
        _ dividend: Number, _ divisor: Number
    ) -> Number {
        let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
        let twice = remainder.magnitude.multipliedReportingOverflow(by: 2)
        let isMore = twice.overflow || twice.partialValue > divisor.magnitude
        let isHalf = !twice.overflow && twice.partialValue == divisor.magnitude
        guard isMore || (isHalf && quotient % 2 != 0) else { return quotient }
        return dividend < 0 ? quotient - 1 : quotient + 1
    }
}
