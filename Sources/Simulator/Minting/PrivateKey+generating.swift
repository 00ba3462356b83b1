internal import COpenSSL
package import Signing

extension PrivateKey: MintingKey {
    /// A new key from the operating system's random source.
    package convenience init(generating curve: Curve) throws(SigningError) {
        guard let key = ErrorQueue.contained({ subledger_generate_ec(curve.rawValue) }) else {
            throw SigningError(.refused)
        }
        self.init(takingOwnershipOf: key, on: curve)
    }

    /// The key as unencrypted PKCS#8 in PEM.
    package func pem() throws(SigningError) -> [UInt8] {
        let text: [UInt8]? = ErrorQueue.contained {
            guard let memory = BIO_new(BIO_s_mem()) else { return nil }
            defer { BIO_free(memory) }
            guard PEM_write_bio_PKCS8PrivateKey(memory, handle, nil, nil, 0, nil, nil) == 1 else {
                return nil
            }
            var start: UnsafeMutablePointer<CChar>?
            let count = subledger_bio_memory(memory, &start)
            guard let start, count > 0 else { return nil }
            return UnsafeRawBufferPointer(start: start, count: count).map { $0 }
        }
        guard let text else { throw SigningError(.refused) }
        return text
    }
}
