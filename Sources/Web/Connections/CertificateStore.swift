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
    }

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

    /// Reads the current certificate at every handshake.
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
            throw Failure(path: files.certificateFile, reason: "It holds no certificate in PEM.")
        }
        let key: NIOSSLPrivateKey
        do { key = try NIOSSLPrivateKey(file: files.privateKeyFile, format: .pem) } catch {
            throw Failure(path: files.privateKeyFile, reason: "It holds no private key in PEM.")
        }
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
        return Pair(chain: chain, key: key)
    }
}
