internal import COpenSSL

/// An ES256 signature: on the wire r and s as 32 bytes each (RFC 7518 §3.4), for OpenSSL a DER
/// sequence of two integers (RFC 3279 §2.2.3).
struct ES256Signature {
    private static let integerByteCount = 32

    let der: [UInt8]

    /// Nil unless `raw` has exactly 64 bytes: a DER signature is not ES256.
    init?(raw: [UInt8]) {
        let count = ES256Signature.integerByteCount
        guard raw.count == CompactJWS.signatureByteCount, let signature = ECDSA_SIG_new() else {
            return nil
        }
        defer { ECDSA_SIG_free(signature) }
        // From here on the signature owns both integers.
        guard
            ECDSA_SIG_set0(
                signature, BN_bin2bn(Array(raw[..<count]), Int32(count), nil),
                BN_bin2bn(Array(raw[count...]), Int32(count), nil)) == 1
        else { return nil }
        der = DER.encoded { i2d_ECDSA_SIG(signature, $0) }
    }

    /// Raw form of a DER signature made by OpenSSL; nil if it is not one.
    static func raw(der: [UInt8]) -> [UInt8]? {
        guard let signature = DER.decoded(der, { d2i_ECDSA_SIG(nil, $0, $1) }) else { return nil }
        defer { ECDSA_SIG_free(signature) }
        var r = [UInt8](repeating: 0, count: integerByteCount)
        var s = r
        let count = Int32(integerByteCount)
        guard BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, count) == count,
            BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, count) == count
        else { return nil }
        return r + s
    }
}
