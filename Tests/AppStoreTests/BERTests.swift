import Testing

@testable import AppStore

@Suite("Basic encoding rules")
struct BERTests {
    private static func element(_ bytes: [UInt8]) -> Result<BERElement, BERError> {
        Result { () throws(BERError) in
            try BER.element(at: 0, in: bytes.span, until: bytes.count)
        }
    }

    private static func code(_ bytes: [UInt8]) -> BERError.Code? {
        guard case .failure(let error) = element(bytes) else { return nil }
        return error.code
    }

    @Test("Lengths of every form are accepted")
    func lengths() throws {
        let forms: [([UInt8], Range<Int>)] = [
            ([0x04, 0x00], 2..<2), ([0x04, 0x01, 9], 2..<3), ([0x04, 0x81, 0x01, 9], 3..<4),
            ([0x04, 0x84, 0, 0, 0, 1, 9], 6..<7), ([0x30, 0x80, 0, 0], 2..<2),
            ([0x30, 0x80, 0x05, 0, 0, 0], 2..<4),
            ([0x30, 0x80, 0x30, 0x80, 0, 0, 0, 0], 2..<6),
        ]
        for (bytes, contents) in forms {
            let element = try Self.element(bytes).get()
            #expect(element.contents == contents)
            #expect(element.end == bytes.count)
            #expect(element.encoding == 0..<bytes.count)
        }
    }

    @Test(
        "False or unsupported headers are rejected",
        arguments: [
            ([], .truncated), ([0x04], .truncated), ([0x04, 0x01], .truncated),
            ([0x04, 0x81], .truncated), ([0x04, 0x82, 0x01], .truncated),
            ([0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], .truncated),
            ([0x04, 0x85, 0, 0, 0, 0, 0], .unsupportedHeader),
            ([0x04, 0x88, 0x7F, 255, 255, 255, 255, 255, 255, 255], .unsupportedHeader),
            ([0x04, 0xFF], .unsupportedHeader), ([0x04, 0x80, 0, 0], .unsupportedHeader),
            ([0x1F, 0x01, 0], .unsupportedHeader), ([0x3F, 0x81, 0], .unsupportedHeader),
            ([0x00, 0x00], .unsupportedHeader), ([0x30, 0x80], .truncated),
            ([0x30, 0x80, 0], .truncated), ([0x30, 0x80, 0, 1], .unsupportedHeader),
            ([0x30, 0x80, 0x04, 0x7F, 0, 0], .truncated),
        ] as [([UInt8], BERError.Code)])
    func refused(_ bytes: [UInt8], _ expected: BERError.Code) {
        #expect(Self.code(bytes) == expected)
    }

    @Test("Nesting is bounded")
    func nesting() {
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8]((0..<depth).flatMap { _ in [0x30, 0x80] as [UInt8] })
                + [UInt8](repeating: 0, count: 2 * depth)
        }
        #expect(Self.code(nested(BER.maximumNestingDepth)) == nil)
        #expect(Self.code(nested(BER.maximumNestingDepth + 1)) == .tooDeep)
        #expect(Self.code(nested(100_000)) == .tooDeep)
    }

    @Test("Constructed octet strings are joined, to a bounded depth")
    func octets() throws {
        func octets(_ bytes: [UInt8]) throws(BERError) -> [UInt8] {
            let element = try BER.element(at: 0, in: bytes.span, until: bytes.count)
            return try BER.octets(of: element, in: bytes.span)
        }
        #expect(try octets([0x04, 2, 1, 2]) == [1, 2])
        #expect(try octets([0x24, 0]) == [])
        #expect(
            try octets([0x24, 0x80, 0x04, 1, 1, 0x24, 3, 0x04, 1, 2, 0x04, 0, 0, 0]) == [1, 2])
        #expect(throws: BERError(.unexpectedElement, offset: 2)) {
            try octets([0x24, 2, 0x05, 0])
        }
        func wrapped(_ depth: Int) -> [UInt8] {
            (0..<depth).reduce([0x04, 1, 7]) { inner, _ in [0x24, UInt8(inner.count)] + inner }
        }
        #expect(try octets(wrapped(BER.maximumNestingDepth - 1)) == [7])
        #expect(throws: BERError.self) { try octets(wrapped(BER.maximumNestingDepth)) }
    }

    @Test("A cursor never leaves its range")
    func cursor() throws {
        let bytes: [UInt8] = [0x30, 4, 0x04, 3, 1, 2, 3]
        var outer = BERCursor(0..<6)
        let sequence = try #require(try outer.next(in: bytes.span))
        #expect(outer.isAtEnd)
        var inner = BERCursor(sequence.contents)
        // The inner element would extend past its container.
        #expect(throws: BERError(.truncated, offset: 2)) { try inner.next(in: bytes.span) }
        var past = BERCursor(7..<9)
        #expect(throws: BERError.self) { try past.next(in: bytes.span) }
        var end = BERCursor(7..<7)
        #expect(try end.next(in: bytes.span) == nil)
        #expect(throws: BERError.self) { try end.require(BERTag.set, in: bytes.span) }
        #expect(try end.take(BERTag.set, in: bytes.span) == nil)
    }
}
