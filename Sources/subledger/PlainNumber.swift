import AppStore
import ArgumentParser

/// A position, item number or bound on the command line.
enum PlainNumber {
    /// Parses plain digits, as over HTTP: no plus sign, no leading zero; a minus for numbers below
    /// zero.
    ///
    /// Throws `ValidationError`, which the parser reports with the option and the value.
    static func read<Number: FixedWidthInteger>(_ text: String) throws -> Number {
        guard let plain = Int64(plain: text), let number = Number(exactly: plain) else {
            throw ValidationError(
                "Give a whole number in plain digits, without a plus or a leading zero.")
        }
        return number
    }
}
