extension Digest {
    /// From 64 lower-case hexadecimal digits; nil for anything else.
    public init?(hexadecimal text: some StringProtocol) {
        let utf8 = Array(text.utf8)
        guard utf8.count == 2 * Digest.byteCount else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: utf8.count, by: 2) {
            guard let high = Digest.value(utf8[index]), let low = Digest.value(utf8[index + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        self.init(bytes: bytes)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
