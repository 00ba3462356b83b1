import AppStore
import Intake
import Ledger
import Proofs
import Service
import Signing
import Testing

/// Without `@testable`: initializers that are not public do not compile here.
@Suite("Configuration built in code")
struct BuiltConfigurationTests {
    @Test("It equals what is read from a file")
    func equal() throws {
        // given
        let witness = try NoteSignerKey(name: "w", algorithm: .cosignature).verifier
        let digest = SHA256.hash(Array("token".utf8))
        let read = try ServiceConfiguration(
            yaml: """
                server:
                  tokens: [ { name: ci, sha256: "\(digest.hexadecimal)", scopes: [read] } ]
                  tls: { certificateFile: ./tls.pem, privateKeyFile: ./tls.key }
                  trustedProxies: [ 10.0.0.0/8 ]
                  proxyUsers: { header: X-User, scopes: [support] }
                webhooks:
                  - { name: all, url: "https://a.example/", secretFile: s }
                  - name: some
                    url: https://b.example/
                    secretFile: t
                    types: [expired]
                    environment: sandbox
                    bundleId: com.example.app
                audit:
                  - { origin: a, keyFile: a.key }
                  - origin: b
                    keyFile: b.key
                    environment: sandbox
                    interval: PT1M
                    witnesses: [ { name: w, url: "https://w.example", key: "\(witness)" } ]
                """)
        // when
        var server = ServiceConfiguration.Server()
        server.tokens = [.init(name: "ci", digest: digest, scopes: [.read])]
        server.tls = .init(certificateFile: "./tls.pem", privateKeyFile: "./tls.key")
        server.trustedProxies = read.server.trustedProxies
        server.proxyUsers = .init(header: "X-User", scopes: [.support])
        let webhooks: [ServiceConfiguration.Webhook] = [
            .init(name: "all", url: "https://a.example/", secretFile: "s"),
            .init(
                name: "some", url: "https://b.example/", secretFile: "t",
                types: [.transition(.expired)], environment: .sandbox,
                bundleId: BundleId("com.example.app")),
        ]
        var audits: [ServiceConfiguration.Audit] = [
            .init(environment: .production, origin: "a", keyFile: "a.key"),
            .init(
                environment: .sandbox, origin: "b", keyFile: "b.key",
                intervalMilliseconds: 60_000,
                witnesses: [.init(name: "w", url: "https://w.example", key: witness)]),
        ]
        for index in audits.indices { audits[index].key = "audit[\(index)]" }
        // then
        #expect(read.server == server)
        #expect(read.webhooks == webhooks)
        #expect(read.audits == audits)
    }
}
