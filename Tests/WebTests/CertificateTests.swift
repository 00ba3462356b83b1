import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Service
import TestSupport
import Testing

@testable import Web

@Suite("The service's own certificate")
struct CertificateTests {
    /// Whether a client that trusts only this root gets a response.
    private static func answers(_ root: NIOSSLCertificate, port: Int) async throws -> Bool {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([root])
        // Certificates of Apple's shape name no host.
        tls.certificateVerification = .noHostnameVerification
        return try await TLSPlace.withClient(tls) { client in
            let request = HTTPClientRequest(url: "https://localhost:\(port)/healthz")
            let answer = try? await client.execute(request, timeout: .seconds(60))
            return answer?.status == .ok
        }
    }

    @Test("Reloaded files serve new connections; unusable ones leave the old in place")
    func reload() async throws {
        let place = try TLSPlace.make()
        let files = try #require(place.configuration.server.tls)
        let first = try TLSPlace.certify(files, by: place.directory.file("authority"))
        try await place.listen { port, service in
            let store = try #require(service.certificates)
            #expect(try await CertificateTests.answers(first, port: port))
            let second = try TLSPlace.certify(files, by: place.directory.file("other"))
            #expect(try await !CertificateTests.answers(second, port: port))
            try store.reload()
            #expect(try await CertificateTests.answers(second, port: port))
            #expect(try await !CertificateTests.answers(first, port: port))
            // A half-finished change: the certificate of one, the key of another.
            _ = try TLSPlace.certify(
                ServiceConfiguration.Server.TLS(
                    certificateFile: files.certificateFile,
                    privateKeyFile: place.directory.file("elsewhere")),
                by: place.directory.file("authority"))
            #expect(throws: CertificateStore.Failure.self) { try store.reload() }
            try "nonsense".write(
                toFile: files.certificateFile, atomically: true, encoding: .utf8)
            #expect(throws: CertificateStore.Failure.self) { try store.reload() }
            #expect(try await CertificateTests.answers(second, port: port))
        }
    }
}
