/// The layout of one element of a BER encoding (X.690 §8.1), without its contents. Positions are
/// byte offsets into the buffer it was read from.
package struct BERElement: Hashable, Sendable {
    /// The identifier octet: class, whether constructed, and number. Numbers above 30, which need
    /// further octets, are rejected: receipts have none.
    package let tag: UInt8
    /// Position of the identifier octet.
    package let start: Int
    /// The contents, excluding end-of-contents octets.
    package let contents: Range<Int>
    /// The position after the element.
    package let end: Int

    /// Whether it contains elements (X.690 §8.1.2.5).
    package var isConstructed: Bool { tag & BERTag.constructed != 0 }

    /// Header, contents and end-of-contents octets.
    package var encoding: Range<Int> { start..<end }
}

/// The identifier octets used in receipts (X.690 §8.1.2; X.680 §8.4).
package enum BERTag {
    /// The constructed bit of the identifier octet.
    package static let constructed: UInt8 = 0x20

    package static let integer: UInt8 = 0x02
    package static let octetString: UInt8 = 0x04
    package static let objectIdentifier: UInt8 = 0x06
    package static let utf8String: UInt8 = 0x0C
    package static let printableString: UInt8 = 0x13
    package static let ia5String: UInt8 = 0x16
    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31
    /// `[n]` around an element, or replacing the tag of a constructed one.
    package static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }
    /// `[n]` replacing the tag of a primitive element.
    package static func contextPrimitive(_ number: UInt8) -> UInt8 { 0x80 | number }
}

/// Why bytes are not the expected BER. Contains the place, never contents.
package struct BERError: Error, Hashable, Sendable {
    /// What is wrong.
    package enum Code: String, Sendable, CaseIterable {
        /// An element exceeds its container.
        case truncated
        /// A header that X.690 forbids, or that receipts do not use.
        case unsupportedHeader
        /// More than `BER.maximumNestingDepth` nested elements.
        case tooDeep
        /// An element is missing or differs from the expected one.
        case unexpectedElement
    }

    package let code: Code
    /// Byte offset at which the error was detected.
    package let offset: Int

    package init(_ code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }
}
