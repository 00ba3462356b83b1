/// The two alphabets of RFC 4648: §4 with `+/` and obligatory padding, §5 with `-_`, which JWS
/// (RFC 7515 §2) uses without padding.
struct Base64Alphabet: Sendable {
    /// Value of a character outside the alphabet: a bit that no sum of legal values sets.
    static let illegal: UInt32 = 0x8000_0000

    let isPadded: Bool
    /// Four tables of 256: the value of a character in the first to fourth place of a group,
    /// already shifted, so that decoding a group takes three ORs.
    let values: [UInt32]
    /// The two characters of every 12-bit value, in memory order.
    let pairs: [UInt16]

    static let standard = Base64Alphabet(last: "+/", isPadded: true)
    static let url = Base64Alphabet(last: "-_", isPadded: false)

    private init(last: String, isPadded: Bool) {
        self.isPadded = isPadded
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let characters = Array((letters + last).utf8)
        var values = [UInt32](repeating: Base64Alphabet.illegal, count: 1024)
        for (value, character) in characters.enumerated() {
            for place in 0..<4 {
                values[place * 256 + Int(character)] = UInt32(value) << UInt32(18 - 6 * place)
            }
        }
        self.values = values
        pairs = (0..<4096).map { value in
            UInt16(characters[value & 63]) << 8 | UInt16(characters[value >> 6])
        }
    }
}
