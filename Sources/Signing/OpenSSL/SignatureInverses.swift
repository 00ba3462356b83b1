/// Inverses of the s of several signatures modulo the order of P-256.
///
/// An inverse costs as much as the two multiplications of a verification (13 and 14 µs with OpenSSL
/// 3.0), and several take hardly longer than one (`PreparedPoint.inverses`). A notification has
/// three signatures.
struct SignatureInverses: Sendable {
    struct Entry: Sendable {
        /// 32 bytes, as every number here.
        let s: [UInt8]
        let inverse: [UInt8]
    }

    let entries: [Entry]

    /// The inverse of exactly this s; nil when it is not among them.
    func inverse(of s: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        entries.first { entry in
            entry.s.withUnsafeBufferPointer { ByteSearch.areEqual($0, s) }
        }?.inverse
    }
}
