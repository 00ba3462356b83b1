import AppStore
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Simulator
import TestSupport
import Testing

@testable import Service
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

    private static let day: Int64 = 86_400_000
    /// The last moment of the certificates of `TLSPlace`.
    private static let end = AuthorityShape().leafValidity.upperBound

    @Test("A certificate is reported before it is valid, from 14 days before its end, and after it")
    func dates() {
        let (begin, end) = (Timestamp(milliseconds: 0), CertificateTests.end)
        let dates = CertificateDates(notBefore: begin, notAfter: end)
        for (milliseconds, text, isValid) in [
            (-14 * CertificateTests.day, nil, true),
            (-14 * CertificateTests.day + 1, "expires at", true), (0, "expires at", true),
            (1, "expired at", false),
        ] as [(Int64, String?, Bool)] {
            let now = end.advanced(byMilliseconds: milliseconds)
            let remark = dates.remark(at: now)
            #expect(remark?.contains(text ?? "-") == text.map { _ in true })
            #expect(dates.include(now) == isValid)
        }
        let early = begin.advanced(byMilliseconds: -1)
        #expect(dates.remark(at: early)?.contains("is valid from") == true)
        #expect(!dates.include(early))
    }

    @Test("doctor examines the dates of the certificate, and the service warns of them")
    func examined() throws {
        let place = try TLSPlace.make()
        defer { withExtendedLifetime(place) {} }
        let files = try #require(place.configuration.server.tls)
        func moment(_ days: Int64) -> Timestamp {
            CertificateTests.end.advanced(byMilliseconds: days * CertificateTests.day)
        }
        for (days, level) in [(-365, .good), (-2, .warning), (2, .bad), (-365 * 60, .bad)]
            as [(Int64, Doctor.Finding.Level)]
        {
            #expect(WebService.examine(files, at: moment(days)).level == level, "\(days)")
        }
        let store = try CertificateStore(files)
        let codes = LogCodes()
        WebService.warn(of: nil, at: moment(0), codes.logger)
        WebService.warn(of: store, at: moment(-365), codes.logger)
        #expect(codes.all == [])
        WebService.warn(of: store, at: moment(0), codes.logger)
        #expect(codes.all == ["certificateDates"])
    }

    @Test("An unusable key is named for what it is")
    func unusable() throws {
        let place = try TLSPlace.make()
        let files = try #require(place.configuration.server.tls)
        func reason() -> String? {
            do throws(CertificateStore.Failure) {
                _ = try CertificateStore(files)
                return nil
            } catch { return error.reason }
        }
        #expect(reason() == nil)
        let label = "ENCRYPTED PRIVATE KEY-----"
        for (text, expected) in [
            ("-----BEGIN \(label)\nAAAA\n-----END \(label)\n", "is encrypted"),
            ("nonsense", "holds no private key"),
        ] {
            try text.write(toFile: files.privateKeyFile, atomically: true, encoding: .utf8)
            #expect(reason()?.contains(expected) == true)
        }
        try FileManager.default.removeItem(atPath: files.privateKeyFile)
        try #require(symlink("/dev/null", files.privateKeyFile) == 0)
        #expect(reason() == "It is not a regular file.")
        try FileManager.default.removeItem(atPath: files.privateKeyFile)
        #expect(reason()?.contains("cannot be read") == true)
        try FileManager.default.removeItem(atPath: files.certificateFile)
        #expect(reason()?.contains("cannot be read") == true)
    }
}
