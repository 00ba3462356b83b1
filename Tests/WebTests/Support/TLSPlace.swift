import AsyncHTTPClient
import Foundation
import Intake
import NIOSSL
import Simulator
import TestSupport

@testable import Service
@testable import Web

/// Served under TLS.
enum TLSPlace {
    /// With a certificate of a disposable authority.
    static func make() throws -> ServedPlace {
        var place = try ServedPlace()
        let files = ServiceConfiguration.Server.TLS(
            certificateFile: place.directory.file("tls.pem"),
            privateKeyFile: place.directory.file("tls.key"))
        _ = try certify(files, by: place.directory.file("authority"))
        place.configuration.server.tls = files
        return place
    }

    /// Writes a certificate, its intermediate and its key to the files; returns the root.
    ///
    /// - Parameter directory: where the authority is stored or created.
    static func certify(
        _ files: ServiceConfiguration.Server.TLS, by directory: String
    ) throws -> NIOSSLCertificate {
        _ = try Authority.kept(in: directory)
        let chain = try ["leaf.der", "intermediate.der"].map { name in
            let text = try Data(contentsOf: URL(filePath: "\(directory)/\(name)"))
                .base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
        }
        try chain.joined().write(
            toFile: files.certificateFile, atomically: true, encoding: .utf8)
        let key = try String(contentsOfFile: "\(directory)/leaf.key", encoding: .utf8)
        try key.write(toFile: files.privateKeyFile, atomically: true, encoding: .utf8)
        return try NIOSSLCertificate(
            bytes: Array(try Data(contentsOf: URL(filePath: "\(directory)/root.der"))), format: .der
        )
    }

    /// Of a client that accepts any certificate.
    static var clientConfiguration: TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        return tls
    }

    /// Passes a client, and closes its connections.
    static func withClient<Value>(
        _ tls: TLSConfiguration, _ body: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        // Fail at once where no connection is possible.
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<Value, any Error>
        do { result = .success(try await body(client)) } catch { result = .failure(error) }
        try await client.shutdown()
        return try result.get()
    }
}
