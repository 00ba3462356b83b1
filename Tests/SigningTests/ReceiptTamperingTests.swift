import AppStore
import Simulator
import TestSupport
import Testing

@testable import Signing

@Suite("Receipts that were damaged or changed")
struct ReceiptTamperingTests {
    private static func writing(_ isIndefinite: Bool) -> ReceiptEncoding {
        var writing = ReceiptEncoding()
        writing.isIndefinite = isIndefinite
        writing.hasSignedAttributes = isIndefinite
        return writing
    }

    @Test(
        "A truncated receipt, or one with trailing bytes, is rejected", arguments: [false, true])
    func truncated(_ isIndefinite: Bool) throws {
        let authority = ReceiptTrial.authority
        let verifier = try ReceiptTrial.verifier(authority)
        let receipt = try authority.sign(
            ReceiptTrial.contents(), writing: Self.writing(isIndefinite))
        // A prime, so that every remainder is met; every length in a soak.
        let step = Soak.isOn ? 1 : 7
        for count in Array(stride(from: 0, to: receipt.count, by: step)) + [receipt.count - 1] {
            let cut = Array(receipt.prefix(count))
            let code = Trial.code { _ = try verifier.verify(cut, receivedAt: Trial.now) }
            guard code != .malformedReceipt else { continue }
            Issue.record("cut to \(count) bytes: \(String(describing: code))")
        }
        for tail in [[0], [0, 0], receipt] as [[UInt8]] {
            #expect(
                Trial.code { _ = try verifier.verify(receipt + tail, receivedAt: Trial.now) }
                    == .malformedReceipt)
        }
    }

    @Test(
        "A flipped bit is rejected, or lies outside the signed part and changes nothing",
        arguments: [false, true])
    func flipped(_ isIndefinite: Bool) throws {
        let authority = ReceiptTrial.authority
        let verifier = try ReceiptTrial.verifier(authority)
        let receipt = try authority.sign(
            ReceiptTrial.contents(), writing: Self.writing(isIndefinite))
        let original = try verifier.verify(receipt, receivedAt: Trial.now)
        var accepted = 0
        // A prime, so that every bit is covered; every byte in a soak.
        let step = Soak.isOn ? 1 : 7
        for index in Array(stride(from: 0, to: receipt.count, by: step)) + [receipt.count - 1] {
            var changed = receipt
            changed[index] ^= 1 << UInt8(index % 8)
            guard let verified = try? verifier.verify(changed, receivedAt: Trial.now) else {
                continue
            }
            accepted += 1
            #expect(verified.payloadBytes == original.payloadBytes)
            #expect(verified.receipt == original.receipt)
            #expect(verified.rootFingerprint == original.rootFingerprint)
        }
        // Only versions, the digest's repeated name, and parameters of algorithms.
        #expect(accepted < (Soak.isOn ? 40 : 10))
    }

    @Test("A signature belongs to its own payload and its own attributes")
    func swapped() throws {
        let authority = ReceiptTrial.authority
        for isIndefinite in [false, true] {
            let one = try authority.sign(
                ReceiptTrial.contents(), writing: Self.writing(isIndefinite))
            let other = ReceiptTrial.contents(type: .productionVPP).payload
            let replaced = try #require(
                Self.replace(ReceiptTrial.contents().payload, by: other, in: one))
            #expect(try ReceiptTrial.code(replaced) == .signatureMismatch)
        }
    }

    /// `receipt` with one payload replaced by another, if both have the same length.
    private static func replace(
        _ payload: [UInt8], by other: [UInt8], in receipt: [UInt8]
    ) -> [UInt8]? {
        // Types differ in length: the shorter payload gets an unknown attribute.
        let start = receipt.indices.first { receipt[$0...].starts(with: payload) }
        guard let start else { return nil }
        var result = receipt
        let same = Array(other.prefix(payload.count)) + payload.dropFirst(other.count)
        result.replaceSubrange(start..<(start + payload.count), with: same)
        return result
    }

    @Test("Re-encoded in DER it still verifies", arguments: [false, true])
    func reencoded(_ hasSignedAttributes: Bool) throws {
        let authority = ReceiptTrial.authority
        var writing = ReceiptEncoding()
        writing.isIndefinite = true
        writing.hasSignedAttributes = hasSignedAttributes
        let contents = ReceiptTrial.contents()
        let receipt = try authority.sign(contents, writing: writing)
        let anew = try Reencoding.definite(receipt)
        #expect(anew != receipt)
        #expect(anew.count < receipt.count)
        let verifier = try ReceiptTrial.verifier(authority)
        #expect(try verifier.verify(anew, receivedAt: Trial.now).payloadBytes == contents.payload)
        // And the reverse, with the content in one-byte chunks.
        let plain = try authority.sign(contents)
        let pieces = try Reencoding.inPieces(plain, payload: contents.payload)
        #expect(try verifier.verify(pieces, receivedAt: Trial.now).payloadBytes == contents.payload)
    }

    @Test("Bytes that nothing signs are accepted up to the limit, and one more is not")
    func unsigned() throws {
        let authority = ReceiptTrial.authority
        let verifier = try ReceiptTrial.verifier(authority)
        let plain = try authority.sign(ReceiptTrial.contents())
        let signed = try ReceiptEnvelope(parsing: plain).knownByteCount
        let limit = VerifiedReceipt.unsignedLimit(
            contentByteCount: ReceiptTrial.contents().payload.count)
        let half = try Reencoding.padded(plain, byteCount: limit / 2)
        let padding = signed + limit - (half.count - limit / 2)
        for (excess, code) in [(0, nil), (1, .malformedReceipt)] as [(Int, VerificationCode?)] {
            let receipt = try Reencoding.padded(plain, byteCount: padding + excess)
            #expect(receipt.count == signed + limit + excess)
            // Verified all the same: a log may hold it.
            let verified = try verifier.verify(receipt, receivedAt: Trial.now)
            #expect(verified.unsignedByteCount == limit + excess)
            #expect(Trial.code { try verified.requireBounded() } == code)
        }
    }
}

/// Other encodings of one receipt.
private enum Reencoding {
    /// Definite lengths in their shortest form, octet strings in one piece.
    static func definite(_ bytes: [UInt8]) throws -> [UInt8] {
        try definite(0..<bytes.count, bytes)
    }

    private static func definite(_ range: Range<Int>, _ bytes: [UInt8]) throws -> [UInt8] {
        var cursor = BERCursor(range)
        var result: [UInt8] = []
        while let element = try cursor.next(in: bytes.span) {
            if element.tag == BERTag.octetString | BERTag.constructed {
                result += DER.octetString(try BER.octets(of: element, in: bytes.span))
            } else if element.isConstructed {
                result += DER.element(element.tag, try definite(element.contents, bytes))
            } else {
                result += bytes[element.encoding]
            }
        }
        return result
    }

    /// Indefinite lengths around a content of one-byte chunks.
    static func inPieces(_ receipt: [UInt8], payload: [UInt8]) throws -> [UInt8] {
        let (type, encoded) = try split(receipt)
        var parts = encoded
        let pieces = payload.flatMap { DER.octetString([$0]) }
        let dataType = DER.objectIdentifier("1.2.840.113549.1.7.1")
        parts[2] = open(
            BERTag.sequence,
            dataType
                + open(BERTag.context(0), open(BERTag.octetString | BERTag.constructed, pieces)))
        return open(
            BERTag.sequence,
            type + open(BERTag.context(0), open(BERTag.sequence, parts.flatMap { $0 })))
    }

    /// With revocation lists of that many bytes.
    static func padded(_ receipt: [UInt8], byteCount: Int) throws -> [UInt8] {
        let (type, encoded) = try split(receipt)
        var parts = encoded
        let lists = DER.element(BERTag.context(1), [UInt8](repeating: 0, count: byteCount))
        // Before the signers.
        parts.insert(lists, at: parts.count - 1)
        return DER.element(
            BERTag.sequence,
            type
                + DER.element(
                    BERTag.context(0), DER.element(BERTag.sequence, parts.flatMap { $0 })))
    }

    /// The type and the parts of the signed data, encoded.
    private static func split(_ receipt: [UInt8]) throws -> (type: [UInt8], parts: [[UInt8]]) {
        let span = receipt.span
        var outer = BERCursor(0..<receipt.count)
        var info = BERCursor(try outer.require(BERTag.sequence, in: span).contents)
        let type = try info.require(BERTag.objectIdentifier, in: span)
        var explicit = BERCursor(try info.require(BERTag.context(0), in: span).contents)
        var data = BERCursor(try explicit.require(BERTag.sequence, in: span).contents)
        var parts: [[UInt8]] = []
        while let element = try data.next(in: span) {
            parts.append(Array(receipt[element.encoding]))
        }
        return (Array(receipt[type.encoding]), parts)
    }

    private static func open(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [tag, 0x80] + contents + [0, 0]
    }
}
