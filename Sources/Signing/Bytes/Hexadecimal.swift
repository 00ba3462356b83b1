/// Hexadecimal text of bytes, two digits each.
public enum Hexadecimal {
    /// The decoded bytes, in either case; nil unless the text is an even number of hexadecimal
    /// digits.
    public static func bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var high: UInt8?
        for character in text {
            guard let digit = digit(character) else { return nil }
            if let first = high {
                result.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil ? result : nil
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
