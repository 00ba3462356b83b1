/// Reads BER (X.690 §8): definite lengths, and the indefinite ones Xcode and many libraries write.
///
/// Receipts are untrusted input, so no length is trusted: every position is checked against the end
/// of its container, sums cannot overflow because a length has at most four octets, nesting is
/// limited, and every access uses a `Span`, which traps when out of bounds.
package enum BER {
    /// Most nested elements in one walk. A receipt needs nine.
    package static let maximumNestingDepth = 16
    /// Most octets of a long length (X.690 §8.1.3.5); four exceed the largest receipt by far.
    package static let maximumLengthOctetCount = 4

    private struct Header {
        let tag: UInt8
        let contents: Int
        /// Nil for the indefinite form.
        let length: Int?
    }

    /// The element that begins at `position` and ends at or before `limit`.
    package static func element(
        at position: Int, in bytes: borrowing Span<UInt8>, until limit: Int
    ) throws(BERError) -> BERElement {
        let header = try header(at: position, in: bytes, until: limit)
        if let length = header.length {
            let end = header.contents + length
            return BERElement(
                tag: header.tag, start: position, contents: header.contents..<end, end: end)
        }
        let end = try endOfContents(from: header.contents, in: bytes, until: limit)
        return BERElement(
            tag: header.tag, start: position, contents: header.contents..<(end - 2), end: end)
    }

    /// The bytes of an octet string, primitive or constructed (X.690 §8.7).
    package static func octets(
        of element: BERElement, in bytes: borrowing Span<UInt8>
    ) throws(BERError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(element.contents.count)
        try append(element, in: bytes, to: &result, depth: 0)
        return result
    }

    /// The bytes at `range`, as an array.
    package static func copy(_ range: Range<Int>, of bytes: borrowing Span<UInt8>) -> [UInt8] {
        bytes.extracting(range).withUnsafeBufferPointer { Array($0) }
    }

    private static func append(
        _ element: BERElement, in bytes: borrowing Span<UInt8>, to result: inout [UInt8],
        depth: Int
    ) throws(BERError) {
        guard depth < maximumNestingDepth else {
            throw BERError(.tooDeep, offset: element.start)
        }
        guard element.isConstructed else {
            bytes.extracting(element.contents).withUnsafeBufferPointer {
                result.append(contentsOf: $0)
            }
            return
        }
        var pieces = BERCursor(element.contents)
        while let piece = try pieces.next(in: bytes) {
            guard piece.tag & ~BERTag.constructed == BERTag.octetString else {
                throw BERError(.unexpectedElement, offset: piece.start)
            }
            try append(piece, in: bytes, to: &result, depth: depth + 1)
        }
    }

    private static func header(
        at position: Int, in bytes: borrowing Span<UInt8>, until limit: Int
    ) throws(BERError) -> Header {
        guard limit <= bytes.count, position >= 0, limit - position >= 2 else {
            throw BERError(.truncated, offset: position)
        }
        let tag = bytes[position]
        guard tag & 0x1F != 0x1F, tag != 0 else {
            throw BERError(.unsupportedHeader, offset: position)
        }
        let first = bytes[position + 1]
        var next = position + 2
        guard first != 0x80 else {
            guard tag & BERTag.constructed != 0 else {
                throw BERError(.unsupportedHeader, offset: position)
            }
            return Header(tag: tag, contents: next, length: nil)
        }
        var length = Int(first)
        if first > 0x80 {
            let octetCount = Int(first & 0x7F)
            guard octetCount <= maximumLengthOctetCount else {
                throw BERError(.unsupportedHeader, offset: position)
            }
            guard limit - next >= octetCount else {
                throw BERError(.truncated, offset: position)
            }
            length = 0
            for _ in 0..<octetCount {
                length = length << 8 | Int(bytes[next])
                next += 1
            }
        }
        guard length <= limit - next else { throw BERError(.truncated, offset: position) }
        return Header(tag: tag, contents: next, length: length)
    }

    /// The position after the end-of-contents octets that terminate the contents starting at
    /// `start` (X.690 §8.1.5).
    private static func endOfContents(
        from start: Int, in bytes: borrowing Span<UInt8>, until limit: Int
    ) throws(BERError) -> Int {
        var position = start
        var depth = 1
        while true {
            guard limit - position >= 2 else { throw BERError(.truncated, offset: position) }
            if bytes[position] == 0, bytes[position + 1] == 0 {
                position += 2
                depth -= 1
                if depth == 0 { return position }
                continue
            }
            let header = try header(at: position, in: bytes, until: limit)
            if let length = header.length {
                position = header.contents + length
            } else {
                depth += 1
                guard depth <= maximumNestingDepth else {
                    throw BERError(.tooDeep, offset: position)
                }
                position = header.contents
            }
        }
    }
}

/// Iterates over consecutive elements.
package struct BERCursor: Sendable {
    private var position: Int
    private let end: Int

    package init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    /// Whether no element is left.
    package var isAtEnd: Bool { position >= end }

    /// The next element; nil at the end.
    package mutating func next(
        in bytes: borrowing Span<UInt8>
    ) throws(BERError) -> BERElement? {
        guard position < end else { return nil }
        let element = try BER.element(at: position, in: bytes, until: end)
        position = element.end
        return element
    }

    /// The next element, which must have this tag.
    package mutating func require(
        _ tag: UInt8, in bytes: borrowing Span<UInt8>
    ) throws(BERError) -> BERElement {
        guard let element = try next(in: bytes), element.tag == tag else {
            throw BERError(.unexpectedElement, offset: position)
        }
        return element
    }

    /// The next element if it has this tag; otherwise does not advance.
    package mutating func take(
        _ tag: UInt8, in bytes: borrowing Span<UInt8>
    ) throws(BERError) -> BERElement? {
        guard position < end, position < bytes.count, bytes[position] == tag else { return nil }
        return try next(in: bytes)
    }

    /// Throws unless all elements were read.
    package func requireEnd() throws(BERError) {
        guard isAtEnd else { throw BERError(.unexpectedElement, offset: position) }
    }
}
