import AppStore
import Signing
import Testing

/// RFC 4231, test cases 1, 2, 3 and 6.
@Suite("HMAC with SHA-256")
struct HMACSHA256Tests {
    struct Case: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let code: String
    }

    static let cases = [
        Case(
            key: [UInt8](repeating: 0x0b, count: 20), message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Case(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Case(
            key: [UInt8](repeating: 0xaa, count: 20),
            message: [UInt8](repeating: 0xdd, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Case(
            key: [UInt8](repeating: 0xaa, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    ]

    @Test("published cases have the published results", arguments: cases)
    func published(_ item: Case) {
        #expect(HMACSHA256.code([item.message], key: item.key).hexadecimal == item.code)
    }

    @Test("pieces are one message, and an empty one has a code, too")
    func pieces() {
        let (key, message) = (Self.cases[1].key, Self.cases[1].message)
        let whole = HMACSHA256.code([message], key: key)
        #expect(
            HMACSHA256.code([Array(message.prefix(5)), Array(message.dropFirst(5))], key: key)
                == whole)
        #expect(HMACSHA256.code([], key: key) == HMACSHA256.code([[]], key: key))
        #expect(HMACSHA256.code([message], key: Array("jefe".utf8)) != whole)
    }
}
