/// Hexadecimal text of bytes, two digits each.
public enum Hexadecimal {
    /// The decoded bytes, in either case; nil unless the text is an even number of hexadecimal
    /// digits.
    public static func bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var high: UInt8?
        for character in text {
            guard let digit = JSONCursor.hexadecimalDigit(character) else { return nil }
            if let first = high {
                result.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil ? result : nil
    }
}
