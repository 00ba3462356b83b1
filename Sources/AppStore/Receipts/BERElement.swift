/// One element of a BER encoding (X.690 §8.1): where its parts lie, not what they hold. Positions
/// count bytes of the buffer it was read from.
package struct BERElement: Hashable, Sendable {
    /// The identifier octet: class, whether constructed, and number. Numbers above 30, which take
    /// further octets, are refused when read: nothing in a receipt has one.
    package let tag: UInt8
    /// Where the identifier octet is.
    package let start: Int
    /// What lies between the header and the end, end-of-contents octets not included.
    package let contents: Range<Int>
    /// The byte after the element.
    package let end: Int

    /// Whether it is made of elements (X.690 §8.1.2.5).
    package var isConstructed: Bool { tag & BERTag.constructed != 0 }

    /// Header, contents and end-of-contents octets.
    package var encoding: Range<Int> { start..<end }
}

/// The identifier octets a receipt is made of (X.690 §8.1.2; X.680 §8.4).
package enum BERTag {
    /// The bit of the identifier octet that says "made of elements".
    package static let constructed: UInt8 = 0x20

    package static let integer: UInt8 = 0x02
    package static let octetString: UInt8 = 0x04
    package static let objectIdentifier: UInt8 = 0x06
    package static let utf8String: UInt8 = 0x0C
    package static let printableString: UInt8 = 0x13
    package static let ia5String: UInt8 = 0x16
    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31
    /// `[n]` around an element, or in the place of a constructed one's own tag.
    package static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }
    /// `[n]` in the place of a primitive element's own tag.
    package static func contextPrimitive(_ number: UInt8) -> UInt8 { 0x80 | number }
}

/// Why bytes are not the BER that was asked for. Says where, never what.
package struct BERError: Error, Hashable, Sendable {
    /// What is wrong.
    package enum Code: String, Sendable, CaseIterable {
        /// An element ends after what holds it.
        case truncated
        /// A header that X.690 forbids, or that nothing in a receipt has.
        case unsupportedHeader
        /// More elements inside one another than `BER.maximumNestingDepth`.
        case tooDeep
        /// Another element, or none, stands where one was asked for.
        case unexpectedElement
    }

    package let code: Code
    /// Where the trouble was noticed.
    package let offset: Int

    package init(_ code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }
}
