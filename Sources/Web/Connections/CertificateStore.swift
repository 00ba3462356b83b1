internal import Intake
import NIOCore
import NIOSSL
internal import Service
import Synchronization

/// The certificate and key of new connections, read from files and reloaded on request. Open
/// connections keep theirs.
final class CertificateStore: Sendable {
    private let files: ServiceConfiguration.Server.TLS
    private let current: Mutex<Pair>

    private struct Pair {
        let chain: [NIOSSLCertificate]
        let key: NIOSSLPrivateKey
        let dates: CertificateDates
    }

    /// Largest file that is read.
    private static let maximumByteCount = 1_024 * 1_024

    /// The unusable file, and the reason.
    struct Failure: Error, CustomStringConvertible {
        let path: String
        let reason: String

        var description: String { "\(path): \(reason)" }
    }

    /// Throws for files that cannot be read or do not match.
    init(_ files: ServiceConfiguration.Server.TLS) throws(Failure) {
        self.files = files
        current = Mutex(try CertificateStore.read(files))
    }

    /// Reloads the files; keeps the current certificate if they cannot be used. Blocks.
    func reload() throws(Failure) {
        let pair = try CertificateStore.read(files)
        current.withLock { $0 = pair }
    }

    /// When the current certificate is valid.
    var dates: CertificateDates { current.withLock { $0.dates } }

    /// Reads the current certificate at every handshake.
    var configuration: TLSConfiguration {
        let pair = current.withLock { $0 }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: pair.chain.map { .certificate($0) },
            privateKey: .privateKey(pair.key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.sslContextCallback = { [self] _, promise in
            let pair = current.withLock { $0 }
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = pair.chain.map { .certificate($0) }
            override.privateKey = .privateKey(pair.key)
            promise.succeed(override)
        }
        return configuration
    }

    private static func read(_ files: ServiceConfiguration.Server.TLS) throws(Failure) -> Pair {
        let chain = try chain(files.certificateFile)
        let key = try key(files.privateKeyFile)
        // Creating a context checks that key and certificate match.
        do {
            _ = try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: chain.map { .certificate($0) },
                    privateKey: .privateKey(key)))
        } catch {
            throw Failure(
                path: files.privateKeyFile,
                reason: "The key does not match the first certificate.")
        }
        return Pair(chain: chain, key: key, dates: CertificateDates(chain[0]))
    }

    /// At least one certificate.
    private static func chain(_ path: String) throws(Failure) -> [NIOSSLCertificate] {
        let bytes = try contents(path)
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(bytes), !chain.isEmpty else {
            throw Failure(path: path, reason: "It holds no certificate in PEM.")
        }
        return chain
    }

    private static func key(_ path: String) throws(Failure) -> NIOSSLPrivateKey {
        let bytes = try contents(path)
        do { return try NIOSSLPrivateKey(bytes: bytes, format: .pem) } catch {
            // In the label of PKCS #8, or in the header of older forms (RFC 1421 §4.6.1.1).
            let isEncrypted = String(decoding: bytes, as: UTF8.self).contains("ENCRYPTED")
            throw Failure(
                path: path,
                reason: isEncrypted
                    ? "Its private key is encrypted, and the service has no passphrase: store the"
                        + " key without one, readable by the service's user only."
                    : "It holds no private key in PEM.")
        }
    }

    private static func contents(_ path: String) throws(Failure) -> [UInt8] {
        guard !InputFile.isSpecial(path) else {
            throw Failure(path: path, reason: SecretFile.irregular)
        }
        guard let bytes = InputFile.readFile(path, limit: maximumByteCount),
            bytes.count <= maximumByteCount
        else {
            throw Failure(
                path: path,
                reason: "It cannot be read by this user, or is larger than 1 MiB; check the path"
                    + " and permissions.")
        }
        return bytes
    }
}
