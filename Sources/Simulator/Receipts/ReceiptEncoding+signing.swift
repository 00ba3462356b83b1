internal import COpenSSL
internal import Signing

/// PKCS #7 signed data (RFC 5652 §5), the format of app receipts. Encoded by OpenSSL rather than by
/// this project, so that tests check the reader independently.
extension ReceiptEncoding {
    /// Signs `content` with the key of `signer`'s certificate. `certificates` are included in their
    /// order; the signer's only if it is one of them.
    func sign(
        _ content: [UInt8], signer: [UInt8], certificates: [[UInt8]], key: RSAPrivateKey
    ) throws(SigningError) -> [UInt8] {
        let bytes: [UInt8]? = ErrorQueue.contained {
            content.withUnsafeBytes {
                write($0, signer: signer, certificates: certificates, key: key)
            }
        }
        guard let bytes, !bytes.isEmpty else { throw SigningError(.refused) }
        return bytes
    }

    private func write(
        _ content: UnsafeRawBufferPointer, signer: [UInt8], certificates: [[UInt8]],
        key: RSAPrivateKey
    ) -> [UInt8]? {
        guard let input = BIO_new_mem_buf(content.baseAddress, Int32(content.count)),
            let algorithm = EVP_get_digestbyname(digest)
        else { return nil }
        defer { BIO_free(input) }
        guard let output = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(output) }
        var flags = UInt32(CMS_BINARY) | UInt32(CMS_PARTIAL) | UInt32(CMS_NOSMIMECAP)
        flags |= UInt32(CMS_NOCERTS)
        if !hasSignedAttributes { flags |= UInt32(CMS_NOATTR) }
        if usesKeyIdentifier { flags |= UInt32(CMS_USE_KEYID) }
        if isIndefinite { flags |= UInt32(CMS_STREAM) }
        guard let data = CMS_sign(nil, nil, nil, nil, flags) else { return nil }
        defer { CMS_ContentInfo_free(data) }
        for der in certificates {
            guard let certificate = Certificate(der: der),
                CMS_add1_cert(data, certificate.handle) == 1
            else { return nil }
        }
        guard let certificate = Certificate(der: signer) else { return nil }
        for _ in 0..<signerCount {
            guard CMS_add1_signer(data, certificate.handle, key.handle, algorithm, flags) != nil
            else { return nil }
        }
        let isWritten =
            isIndefinite
            ? i2d_CMS_bio_stream(output, data, input, Int32(flags)) == 1
            : CMS_final(data, input, nil, flags) == 1 && i2d_CMS_bio(output, data) == 1
        guard isWritten else { return nil }
        var start: UnsafeMutablePointer<CChar>?
        let count = subledger_bio_memory(output, &start)
        guard let start, count > 0 else { return nil }
        return UnsafeRawBufferPointer(start: start, count: count).map { $0 }
    }
}
