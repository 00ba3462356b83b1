import Foundation
import Testing

@testable import Signing

/// Some stored receipts use the URL alphabet of base64 (RFC 4648 §5).
@Suite("Receipts in the URL alphabet")
struct AddressAlphabetTests {
    @Test("One line or several, with or without padding: the same receipt")
    func forms() throws {
        // A sequence of all byte values.
        let receipt: [UInt8] = [0x30, 0x82, 0x01, 0x01] + Array(0...255) + [0]
        let usual = Data(receipt).base64EncodedString()
        #expect(usual.contains("+") && usual.contains("/") && receipt.count % 3 == 0)
        let other = usual.replacing("+", with: "-").replacing("/", with: "_")
        #expect(try ReceiptForm.decode(Array(other.utf8)) == receipt)
        let lines = other.prefix(64) + "\r\n" + other.dropFirst(64)
        #expect(try ReceiptForm.decode(Array(lines.utf8)) == receipt)
        let longer = receipt + [7]
        let padded = Data(longer).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_")
        #expect(padded.hasSuffix("=="))
        #expect(try ReceiptForm.decode(Array(padded.utf8)) == longer)
        #expect(try ReceiptForm.decode(Array(padded.dropLast(2).utf8)) == longer)
    }

    @Test("Text that is not canonical is rejected", arguments: ["-", "_-_", "MA-", "M_="])
    func none(_ text: String) {
        let decoded = try? ReceiptForm.decode(Array(text.utf8))
        #expect(decoded?.first != 0x30)
    }
}
