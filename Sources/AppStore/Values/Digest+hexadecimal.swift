extension Digest {
    /// From 64 lower-case hexadecimal digits; nil for anything else.
    public init?(hexadecimal text: some StringProtocol) {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "F")
        guard text.utf8.count == 2 * Digest.byteCount,
            !text.utf8.contains(where: { capitals.contains($0) }),
            let bytes = Hexadecimal.bytes(text.utf8)
        else { return nil }
        self.init(bytes: bytes)
    }
}
