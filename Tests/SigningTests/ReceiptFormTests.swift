import AppStore
import Foundation
import Simulator
import Testing

@testable import Signing

@Suite("The form of receipts")
struct ReceiptFormTests {
    @Test("Binary, base64, base64 in lines and PEM are one receipt")
    func forms() throws {
        let authority = ReceiptTrial.authority
        let receipt = try authority.sign(ReceiptTrial.contents())
        let text = Data(receipt).base64EncodedString()
        let lines = Data(receipt).base64EncodedString(options: [
            .lineLength64Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ])
        let verifier = try ReceiptTrial.verifier(authority)
        for form in [
            text, " \t\(text)\r\n", lines, "\"\(text)\"",
            "-----BEGIN PKCS7-----\n\(lines)\n-----END PKCS7-----\n",
        ] {
            let verified = try verifier.verify(Array(form.utf8), receivedAt: Trial.now)
            #expect(verified.bytes == receipt)
        }
    }

    @Test(
        "Input that is neither binary nor base64 is rejected",
        arguments: [
            "", " ", "\n", "=", "M", "MI", "the quick brown fox", "\"\"", "{}", "-----BEGIN-----",
            "eyJhbGciOiJFUzI1NiJ9.e30.e30", "AAAA", "MA==", "MAA", "30", "0",
        ])
    func neither(_ text: String) throws {
        #expect(try ReceiptTrial.code(Array(text.utf8)) == .malformedReceipt)
    }

    @Test("A receipt has at most 4 MiB, in either form")
    func size() throws {
        let authority = ReceiptTrial.authority
        func receipt(padding: Int) throws -> [UInt8] {
            var contents = ReceiptTrial.contents()
            contents.attributes.append(
                ReceiptContents.Attribute(9999, value: [UInt8](repeating: 7, count: padding)))
            return try authority.sign(contents)
        }
        let limit = AppReceiptLimits.byteCount
        let overhead = try receipt(padding: limit / 2).count - limit / 2
        let largest = try receipt(padding: limit - overhead)
        #expect(largest.count == limit)
        #expect(try ReceiptTrial.code(largest) == nil)
        let larger = try receipt(padding: limit - overhead + 1)
        #expect(larger.count == limit + 1)
        #expect(try ReceiptTrial.code(larger) == .payloadTooLarge)
        let text = Base64.standard.encode(Array(largest.prefix(limit / 4 * 3)))
        #expect(text.count == limit)
        // Truncated, but not too large.
        #expect(try ReceiptTrial.code(text) == .malformedReceipt)
        #expect(try ReceiptTrial.code(text + [0x0A]) == .payloadTooLarge)
    }

    /// The smallest unsigned receipt around the given parts.
    private static func signedData(
        certificates: [[UInt8]] = [], signedAttributes: [UInt8]? = nil, signers: Int = 1
    ) -> [UInt8] {
        let sha256 = DER.sequence([DER.objectIdentifier("2.16.840.1.101.3.4.2.1"), DER.null])
        let rsa = DER.sequence([DER.objectIdentifier("1.2.840.113549.1.1.1"), DER.null])
        let content = DER.sequence([
            DER.objectIdentifier("1.2.840.113549.1.7.1"),
            DER.element(0xA0, DER.octetString(ReceiptTrial.contents().payload)),
        ])
        var signer: [[UInt8]] = [
            DER.integer(1), DER.sequence([DER.sequence([]), DER.integer(1)]), sha256,
        ]
        if let signedAttributes { signer.append(DER.element(0xA0, signedAttributes)) }
        signer += [rsa, DER.octetString([UInt8](repeating: 1, count: 256))]
        let data = DER.sequence([
            DER.integer(1), DER.set([sha256]), content,
            DER.element(0xA0, certificates.flatMap { $0 }),
            DER.set([[UInt8]](repeating: DER.sequence(signer), count: signers)),
        ])
        return DER.sequence([
            DER.objectIdentifier("1.2.840.113549.1.7.2"), DER.element(0xA0, data),
        ])
    }

    @Test("A certificate has at most 8 KiB, and a receipt at most eight of them")
    func certificates() throws {
        func certificate(_ count: Int) -> [UInt8] {
            DER.element(0x30, [UInt8](repeating: 0, count: count - 4))
        }
        let limit = CertificateChainPolicy.maximumCertificateByteCount
        #expect(certificate(limit).count == limit)
        let small = certificate(300)
        let cases: [([[UInt8]], VerificationCode)] = [
            ([small, small, certificate(limit)], .untrustedRoot),
            ([small, small, certificate(limit + 1)], .invalidCertificate),
            ([[UInt8]](repeating: small, count: 8), .untrustedRoot),
            ([[UInt8]](repeating: small, count: 9), .invalidChainLength),
            ([DER.null], .malformedReceipt),
        ]
        for (certificates, expected) in cases {
            #expect(try ReceiptTrial.code(Self.signedData(certificates: certificates)) == expected)
        }
        #expect(ReceiptEnvelope.maximumCertificateCount == 8)
    }

    @Test("A receipt has one signer")
    func signers() throws {
        #expect(try ReceiptTrial.code(Self.signedData(signers: 0)) == .malformedReceipt)
        #expect(try ReceiptTrial.code(Self.signedData(signers: 1)) == .invalidChainLength)
        #expect(try ReceiptTrial.code(Self.signedData(signers: 2)) == .malformedReceipt)
    }

    @Test("Signed attributes name data and its digest, each once, within a limit")
    func signedAttributes() throws {
        func attribute(_ identifier: String, _ values: [[UInt8]]) -> [UInt8] {
            DER.sequence([DER.objectIdentifier(identifier), DER.set(values)])
        }
        let digest = SHA256.hash([1]).bytes
        let type = attribute(
            "1.2.840.113549.1.9.3", [DER.objectIdentifier("1.2.840.113549.1.7.1")])
        let message = attribute("1.2.840.113549.1.9.4", [DER.octetString(digest)])
        let other = attribute("1.2.840.113549.1.9.5", [DER.null])
        let foreign = attribute(
            "1.2.840.113549.1.9.3", [DER.objectIdentifier("1.2.840.113549.1.7.2")])
        let twice = attribute(
            "1.2.840.113549.1.9.4", [DER.octetString(digest), DER.octetString(digest)])
        let limit = ReceiptEnvelope.maximumSignedAttributeCount
        let cases: [([[UInt8]], Bool)] = [
            ([type, message], true), ([message, other, type], true), ([], false), ([type], false),
            ([message], false), ([type, message, message], false), ([type, type, message], false),
            ([foreign, message], false), ([type, twice], false),
            ([type, message, DER.null], false),
            ([type, message] + [[UInt8]](repeating: other, count: limit - 2), true),
            ([type, message] + [[UInt8]](repeating: other, count: limit - 1), false),
        ]
        for (attributes, expected) in cases {
            #expect(SignedAttributes.name(digest, in: DER.set(attributes)) == expected)
        }
        #expect(!SignedAttributes.name(SHA256.hash([2]).bytes, in: DER.set([type, message])))
        #expect(!SignedAttributes.name(digest, in: DER.sequence([type, message])))
        #expect(!SignedAttributes.name(digest, in: DER.set([type, message]) + [0]))
        let bytes = ReceiptEnvelope.maximumSignedAttributesByteCount
        #expect(
            try ReceiptTrial.code(
                Self.signedData(signedAttributes: [UInt8](repeating: 5, count: bytes)))
                == .invalidChainLength)
        #expect(
            try ReceiptTrial.code(
                Self.signedData(signedAttributes: [UInt8](repeating: 5, count: bytes + 1)))
                == .malformedReceipt)
    }

    @Test("iOS 6 receipts are read from text or base64")
    func transactionReceipt() throws {
        func receipt(_ purchase: String, outer: String = "") -> [UInt8] {
            let encoded = Data(purchase.utf8).base64EncodedString()
            return Array("{\n\t\"purchase-info\" = \"\(encoded)\";\(outer)\n}".utf8)
        }
        let full = receipt(
            """
            {
            \t"original-transaction-id" = "41";
            \t"transaction-id" = "42";
            \t"product-id"="pro";
            \t"bid" = "com.example.app";
            }
            """, outer: "\n\t\"environment\" = \"Sandbox\";")
        for bytes in [full, Base64.standard.encode(full)] {
            let read = try #require(ReceiptForm.transactionReceipt(bytes))
            #expect(read.transactionId == TransactionId("42"))
            #expect(read.originalTransactionId == OriginalTransactionId("41"))
            #expect(read.productId == ProductId("pro"))
            #expect(read.bundleId == BundleId("com.example.app"))
            #expect(read.environment?.value == .sandbox)
        }
        let none: [[UInt8]] = [
            [], Array("{}".utf8), receipt(""), receipt("{ \"transaction-id\" = \"\"; }"),
            receipt("{ \"transaction-id\" = \"42\" }"), receipt("{ \"transaction-id\" \"42\"; }"),
            receipt("{ \"original-transaction-id\" = \"42\"; }"),
            Array("{ \"purchase-info\" = \"!!!!\"; }".utf8),
            Array("{ \"transaction-id\" = \"42\"; }".utf8),
            Array(full.prefix(full.count / 2)),
        ]
        for bytes in none { #expect(ReceiptForm.transactionReceipt(bytes) == nil) }
        let app = try ReceiptTrial.authority.sign(ReceiptTrial.contents())
        #expect(ReceiptForm.transactionReceipt(app) == nil)
    }

    @Test("Hexadecimal has two digits per byte")
    func hexadecimal() {
        #expect(Hexadecimal.bytes("00ffA1b2".utf8) == [0, 255, 0xA1, 0xB2])
        #expect(Hexadecimal.bytes("".utf8) == [])
        for text in ["0", "0g", "00 ", "-1", "0x00"] {
            #expect(Hexadecimal.bytes(text.utf8) == nil)
        }
    }
}
