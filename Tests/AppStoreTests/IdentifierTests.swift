import AppStore
import TestSupport
import Testing

@Suite("Identifiers and money")
struct IdentifierTests {
    @Test(
        "Ordered as unsigned bytes",
        arguments: [
            ("", "a"), ("1", "10"), ("10", "2"), ("Z", "a"), ("a", "é"), ("é", "€"), ("€", "😀"),
            ("\u{FFFF}", "😀"), ("200000102568631", "2000001025686313"), ("12345678a", "12345678b"),
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaa1", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa2"), ("e\u{301}", "é"),
        ])
    func ordered(_ smaller: String, _ larger: String) {
        #expect(TransactionId(smaller) < TransactionId(larger))
        #expect(!(TransactionId(larger) < TransactionId(smaller)))
        #expect(TransactionId(smaller) != TransactionId(larger))
    }

    @Test(
        "Equal exactly when the bytes are",
        arguments: ["", "0", "2000001025686313", "com.example.a.long.product.é"])
    func equal(_ text: String) {
        let copy = String(decoding: Array(text.utf8), as: UTF8.self)
        #expect(ProductId(text) == ProductId(copy))
        #expect(ProductId(text).hashValue == ProductId(copy).hashValue)
        #expect(!(ProductId(text) < ProductId(copy)))
        #expect(ProductId(text) != ProductId(text + "x"))
    }

    @Test("Order agrees with Swift's bytewise order on random ids")
    func randomOrder() {
        var random = SeededNumbers(seed: 7)
        let ids = (0..<300).map { _ in
            String(
                (0..<Int.random(in: 0...20, using: &random)).map { _ in
                    "ab€é".randomElement(using: &random)!
                })
        }
        for (one, two) in zip(ids, ids.dropFirst()) {
            #expect(
                (TransactionId(one) < TransactionId(two))
                    == one.utf8.lexicographicallyPrecedes(two.utf8))
            #expect((TransactionId(one) == TransactionId(two)) == one.utf8.elementsEqual(two.utf8))
        }
    }
}
