import AppStore
import ArgumentParser

/// A position, an item or a bound on the command line.
enum PlainNumber {
    /// One spelling a number, as over HTTP: digits without a sign or a leading zero, a minus where a
    /// number is below zero.
    ///
    /// Throws `ValidationError`, which the parser tells with the option and the value.
    static func read<Number: FixedWidthInteger>(_ text: String) throws -> Number {
        guard let plain = Int64(plain: text), let number = Number(exactly: plain) else {
            throw ValidationError(
                "Give a whole number in plain digits, without a plus or a leading zero.")
        }
        return number
    }
}
