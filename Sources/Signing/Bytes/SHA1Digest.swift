internal import COpenSSL

/// SHA-1 (FIPS 180-4), only for data that Apple made with it: the signatures of receipts before
/// 2023 and the device hash in every receipt. Never used for identifiers of this project.
enum SHA1Digest {
    /// The digest of `bytes`: 20 bytes.
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(SHA_DIGEST_LENGTH)) { target, count in
            bytes.withUnsafeBufferPointer { source in
                _ = SHA1(source.baseAddress, source.count, target.baseAddress)
            }
            count = Int(SHA_DIGEST_LENGTH)
        }
    }
}
