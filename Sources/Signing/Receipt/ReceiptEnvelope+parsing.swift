internal import AppStore

extension ReceiptEnvelope {
    /// 1.2.840.113549.1.7.2.
    private static let signedDataIdentifier: [UInt8] = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02,
    ]
    /// 1.2.840.113549.1.7.1.
    static let dataIdentifier: [UInt8] = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01,
    ]

    /// Parses a binary receipt.
    ///
    /// Throws `malformedReceipt`, `unsupportedAlgorithm`, `invalidCertificate` for a certificate
    /// over 8 KiB and `invalidChainLength` for more than eight.
    package init(parsing receipt: [UInt8]) throws(VerificationError) {
        let parts: Parts
        do throws(BERError) {
            parts = try Parts(receipt.span)
        } catch {
            throw ReceiptEnvelope.malformed(error)
        }
        guard parts.certificates.count <= ReceiptEnvelope.maximumCertificateCount else {
            throw VerificationError(
                .invalidChainLength,
                reason: "The receipt contains more than \(ReceiptEnvelope.maximumCertificateCount) "
                    + "certificates.")
        }
        let limit = CertificateChainPolicy.maximumCertificateByteCount
        guard parts.certificates.allSatisfy({ $0.count <= limit }) else {
            throw VerificationError(
                .invalidCertificate, reason: "A certificate has more than \(limit) bytes.")
        }
        content = parts.content
        certificates = parts.certificates
        signer = parts.signer.name
        signedAttributes = parts.signer.attributes
        signature = parts.signer.signature
        digest = try ReceiptEnvelope.digest(of: parts.signer)
    }

    private static func malformed(_ error: BERError) -> VerificationError {
        let what =
            switch error.code {
            case .truncated: "The receipt is truncated, or a length exceeds it"
            case .unsupportedHeader: "An element has an unsupported header"
            case .tooDeep: "Elements are nested too deeply"
            case .unexpectedElement: "The receipt is not PKCS #7 signed data with one signer"
            }
        return VerificationError(.malformedReceipt, reason: "\(what) (at byte \(error.offset)).")
    }

    private static func digest(of signer: Signer) throws(VerificationError) -> ReceiptDigest {
        guard
            let digest = ReceiptDigest.allCases.first(where: {
                $0.identifier == signer.digestIdentifier
            }),
            signer.signatureIdentifier == ReceiptDigest.rsaIdentifier
                || signer.signatureIdentifier == digest.signatureIdentifier
        else {
            throw VerificationError(
                .unsupportedAlgorithm,
                reason: "Only RSA signatures over SHA-1 and SHA-256 are accepted.")
        }
        return digest
    }

    /// The contents of the structure, before any check.
    private struct Parts {
        let content: [UInt8]
        let certificates: [[UInt8]]
        let signer: Signer

        init(_ bytes: borrowing Span<UInt8>) throws(BERError) {
            var outer = BERCursor(0..<bytes.count)
            var info = BERCursor(try outer.require(BERTag.sequence, in: bytes).contents)
            try outer.requireEnd()
            try ReceiptEnvelope.require(signedDataIdentifier, from: &info, in: bytes)
            var explicit = BERCursor(try info.require(BERTag.context(0), in: bytes).contents)
            try info.requireEnd()
            var data = BERCursor(try explicit.require(BERTag.sequence, in: bytes).contents)
            try explicit.requireEnd()
            _ = try data.require(BERTag.integer, in: bytes)
            // The signers' digests, repeated with each signer.
            _ = try data.require(BERTag.set, in: bytes)
            content = try ReceiptEnvelope.content(
                try data.require(BERTag.sequence, in: bytes), in: bytes)
            var certificates: [[UInt8]] = []
            if let list = try data.take(BERTag.context(0), in: bytes) {
                certificates = try ReceiptEnvelope.certificates(list, in: bytes)
            }
            self.certificates = certificates
            // Revocation lists: never seen, and ignored.
            _ = try data.take(BERTag.context(1), in: bytes)
            var signers = BERCursor(try data.require(BERTag.set, in: bytes).contents)
            try data.requireEnd()
            signer = try Signer(try signers.require(BERTag.sequence, in: bytes), in: bytes)
            try signers.requireEnd()
        }
    }

    /// SignerInfo (RFC 5652 §5.3).
    private struct Signer {
        let name: [UInt8]
        let digestIdentifier: [UInt8]
        let attributes: [UInt8]?
        let signatureIdentifier: [UInt8]
        let signature: [UInt8]

        init(_ element: BERElement, in bytes: borrowing Span<UInt8>) throws(BERError) {
            var parts = BERCursor(element.contents)
            _ = try parts.require(BERTag.integer, in: bytes)
            guard let name = try parts.next(in: bytes),
                name.tag == BERTag.sequence || name.tag == BERTag.contextPrimitive(0)
            else { throw BERError(.unexpectedElement, offset: element.start) }
            self.name = BER.copy(name.encoding, of: bytes)
            digestIdentifier = try ReceiptEnvelope.algorithm(from: &parts, in: bytes)
            let signed = try parts.take(BERTag.context(0), in: bytes)
            if let signed {
                attributes = try ReceiptEnvelope.asSet(signed, in: bytes)
            } else {
                attributes = nil
            }
            signatureIdentifier = try ReceiptEnvelope.algorithm(from: &parts, in: bytes)
            signature = try BER.octets(
                of: try parts.require(BERTag.octetString, in: bytes), in: bytes)
            // Unsigned attributes are ignored.
            _ = try parts.take(BERTag.context(1), in: bytes)
            try parts.requireEnd()
        }
    }

    private static func require(
        _ identifier: [UInt8], from cursor: inout BERCursor, in bytes: borrowing Span<UInt8>
    ) throws(BERError) {
        let element = try cursor.require(BERTag.objectIdentifier, in: bytes)
        guard BER.copy(element.contents, of: bytes) == identifier else {
            throw BERError(.unexpectedElement, offset: element.start)
        }
    }

    /// EncapsulatedContentInfo (RFC 5652 §5.2): data, present, as an octet string.
    private static func content(
        _ element: BERElement, in bytes: borrowing Span<UInt8>
    ) throws(BERError) -> [UInt8] {
        var parts = BERCursor(element.contents)
        try require(dataIdentifier, from: &parts, in: bytes)
        var explicit = BERCursor(try parts.require(BERTag.context(0), in: bytes).contents)
        try parts.requireEnd()
        guard let octets = try explicit.next(in: bytes),
            octets.tag & ~BERTag.constructed == BERTag.octetString
        else { throw BERError(.unexpectedElement, offset: element.start) }
        try explicit.requireEnd()
        return try BER.octets(of: octets, in: bytes)
    }

    private static func certificates(
        _ list: BERElement, in bytes: borrowing Span<UInt8>
    ) throws(BERError) -> [[UInt8]] {
        var cursor = BERCursor(list.contents)
        var result: [[UInt8]] = []
        // One more than allowed suffices to detect too many.
        while result.count <= maximumCertificateCount, let one = try cursor.next(in: bytes) {
            guard one.tag == BERTag.sequence else {
                throw BERError(.unexpectedElement, offset: one.start)
            }
            // One byte more than allowed suffices to detect an oversized certificate.
            let count = min(
                one.encoding.count, CertificateChainPolicy.maximumCertificateByteCount + 1)
            result.append(BER.copy(one.start..<(one.start + count), of: bytes))
        }
        return result
    }

    /// AlgorithmIdentifier (RFC 5280 §4.1.1.2): the identifier's contents; parameters are NULL or
    /// missing for every accepted algorithm, and are ignored.
    private static func algorithm(
        from cursor: inout BERCursor, in bytes: borrowing Span<UInt8>
    ) throws(BERError) -> [UInt8] {
        var parts = BERCursor(try cursor.require(BERTag.sequence, in: bytes).contents)
        let identifier = try parts.require(BERTag.objectIdentifier, in: bytes)
        _ = try parts.next(in: bytes)
        try parts.requireEnd()
        return BER.copy(identifier.contents, of: bytes)
    }

    /// Signed attributes are encoded under `[0]` and signed as a SET in DER (RFC 5652 §5.4): the
    /// header is replaced; the contents must already be DER.
    private static func asSet(
        _ element: BERElement, in bytes: borrowing Span<UInt8>
    ) throws(BERError) -> [UInt8] {
        guard element.contents.count <= maximumSignedAttributesByteCount else {
            throw BERError(.unsupportedHeader, offset: element.start)
        }
        return DER.element(BERTag.set, BER.copy(element.contents, of: bytes))
    }
}
