internal import Intake
import NIOCore
import NIOSSL
internal import Service
import Synchronization

/// The certificate and key connections are opened with: read from files, and again when asked.
/// Connections that are open keep what they have.
final class CertificateStore: Sendable {
    private let files: ServiceConfiguration.Server.TLS
    private let current: Mutex<Pair>

    private struct Pair {
        let chain: [NIOSSLCertificate]
        let key: NIOSSLPrivateKey
    }

    /// The files cannot be used: which, and why.
    struct Failure: Error, CustomStringConvertible {
        let path: String
        let reason: String

        var description: String { "\(path): \(reason)" }
    }

    /// Throws for files that cannot be read, or do not belong together.
    init(_ files: ServiceConfiguration.Server.TLS) throws(Failure) {
        self.files = files
        current = Mutex(try CertificateStore.read(files))
    }

    /// Reads the files again; what was read before stays when they are of no use. Blocks.
    func reload() throws(Failure) {
        let pair = try CertificateStore.read(files)
        current.withLock { $0 = pair }
    }

    /// Every handshake asks for the certificate of its own time.
    var configuration: TLSConfiguration {
        let pair = current.withLock { $0 }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: pair.chain.map { .certificate($0) },
            privateKey: .privateKey(pair.key))
        configuration.minimumTLSVersion = .tlsv12
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
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMFile(files.certificateFile) } catch {
            throw Failure(path: files.certificateFile, reason: "No certificates in PEM were read.")
        }
        let key: NIOSSLPrivateKey
        do { key = try NIOSSLPrivateKey(file: files.privateKeyFile, format: .pem) } catch {
            throw Failure(path: files.privateKeyFile, reason: "No private key in PEM was read.")
        }
        // A context is made only of what belongs together.
        do {
            _ = try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: chain.map { .certificate($0) },
                    privateKey: .privateKey(key)))
        } catch {
            throw Failure(
                path: files.privateKeyFile,
                reason: "The key does not belong to the first certificate.")
        }
        return Pair(chain: chain, key: key)
    }
}
