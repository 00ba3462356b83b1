import AppStore
import Foundation
import LedgerTestSupport
import Signing
import TestSupport
import Testing

@testable import Intake
@testable import Service

@Suite("Secret files readable by others")
struct SecretPathTests {
    private func configured(_ directory: TemporaryDirectory) throws -> ServiceConfiguration {
        var configuration = ServiceConfiguration(
            Configuration(dataDirectory: directory.file("data")))
        configuration.apps = [
            Configuration.App(
                bundleId: BundleId("com.example.app"),
                sharedSecretFile: try directory.write(Array("0123456789".utf8), to: "shared"),
                api: Configuration.API(
                    keyId: "k", issuerId: "i",
                    privateKeyFile: try directory.write([1], to: "key.p8")))
        ]
        configuration.server.tls = ServiceConfiguration.Server.TLS(
            certificateFile: try directory.write([1], to: "tls.pem"),
            privateKeyFile: try directory.write([1], to: "tls.key"))
        configuration.webhooks = [
            ServiceConfiguration.Webhook(
                name: "hook", url: "https://example.com",
                secretFile: try directory.write([1], to: "whsec"))
        ]
        return configuration
    }

    private static let names = ["shared", "key.p8", "tls.key", "whsec"]

    @Test("Every secret and private key of a configuration is checked, no certificate")
    func paths() throws {
        let directory = try TemporaryDirectory()
        let configuration = try configured(directory)
        #expect(configuration.secretPaths.map(\.path) == Self.names.map { directory.file($0) })
        #expect(
            configuration.secretPaths.map(\.key) == [
                "apps[0].sharedSecretFile", "apps[0].api.privateKeyFile",
                "server.tls.privateKeyFile", "webhooks[0].secretFile",
            ])
    }

    @Test("With one app named, its settings keep their place in the file")
    func limited() throws {
        // given
        var configuration = try ServiceConfiguration(
            yaml: "apps: [ { bundleId: a }, { bundleId: b, sharedSecretFile: s } ]")
        // when
        configuration.ledger.limit(to: BundleId("b"))
        // then
        #expect(configuration.secretPaths.map(\.key) == ["apps[1].sharedSecretFile"])
    }

    @Test(
        "A file that its group or others can read or write is BAD, one of its owner's alone is not",
        arguments: [
            (0o600, false), (0o400, false), (0o640, true), (0o604, true), (0o620, true),
        ])
    func modes(_ mode: Int, _ isOpen: Bool) async throws {
        let directory = try TemporaryDirectory()
        let doctor = Doctor(
            configuration: try configured(directory), environment: .production, roots: .apple,
            now: TemporaryLedger.end)
        for name in Self.names {
            for other in Self.names {
                try FileManager.default.setAttributes(
                    [.posixPermissions: other == name ? mode : 0o600],
                    ofItemAtPath: directory.file(other))
            }
            let findings = doctor.openSecrets()
            #expect(findings.allSatisfy { $0.subject == "secrets" })
            // All of them are in the report: asked once for each mode.
            if name == Self.names.last {
                #expect(await doctor.examine().filter { $0.subject == "secrets" } == findings)
            }
            #expect(findings.map(\.level) == (isOpen ? [.bad] : []))
            #expect(findings.first?.message.contains(directory.file(name)) ?? !isOpen)
        }
    }

    @Test("A missing file is not a finding of this kind")
    func missing() {
        let path = ServiceConfiguration.SecretPath(key: "k", path: "/nowhere/secret")
        #expect(!path.isOpenToOthers)
    }
}
