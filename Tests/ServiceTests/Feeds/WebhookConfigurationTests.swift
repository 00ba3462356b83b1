import AppStore
import Intake
import Ledger
import Queries
import Testing

@testable import Service

@Suite("Webhook configuration")
struct WebhookConfigurationTests {
    func parse(_ lines: String) throws -> [ServiceConfiguration.Webhook] {
        try ServiceConfiguration(yaml: "webhooks:\n" + lines).webhooks
    }

    @Test("all settings of an endpoint are read")
    func whole() throws {
        let webhook = try #require(
            try parse(
                """
                  - name: books
                    url: https://books.example.com/hooks?key=1
                    secretFile: ./secret
                    types: [expired, renewed]
                    environment: sandbox
                    bundleId: com.example.app
                """
            ).first)
        #expect(webhook.name == "books")
        #expect(webhook.types == [.transition(.expired), .fact(.renewed)])
        #expect(webhook.environment == .sandbox)
        #expect(webhook.bundleId == BundleId("com.example.app"))
    }

    @Test("with only an address and a secret, all changes of production are delivered")
    func defaults() throws {
        let webhook = try #require(
            try parse("  - { url: \"https://a.example/x\", secretFile: s }").first)
        #expect(webhook.types == nil && webhook.bundleId == nil)
        #expect(webhook.environment == .production)
        #expect(webhook.name.hasPrefix("a.example-"))
        #expect(!webhook.name.contains("/x"))
    }

    @Test(
        "plain http is for loopback only",
        arguments: ["http://127.0.0.1:9/x", "http://localhost/x", "http://[::1]:65535/"])
    func loopback(_ url: String) throws {
        #expect(try parse("  - { url: \"\(url)\", secretFile: s }").count == 1)
    }

    @Test(
        "an invalid address is refused",
        arguments: [
            "http://example.com/", "http://127.0.0.1.example.com/", "http://127.1/",
            "ftp://example.com/", "https://", "example.com", "https://user:pw@example.com/",
            "https://example.com/#x", "https://exa mple.com/", "", "https://127.0.0.1:0/x",
            "https://127.0.0.1:65536/x", "https://127.0.0.1:9\(Int.max)/x",
        ])
    func badAddress(_ url: String) {
        #expect(throws: ConfigurationError.self) {
            try parse("  - { url: \"\(url)\", secretFile: s }")
        }
    }

    @Test(
        "a key, type or environment that does not exist is refused, and so is a secret inline",
        arguments: [
            "secret: whsec_x", "types: [Expired]", "environment: moon", "colour: red",
            "name: \"a b\"",
        ])
    func badKeys(_ line: String) {
        #expect(throws: ConfigurationError.self) {
            try parse("  - url: https://a.example/x\n    secretFile: s\n    \(line)")
        }
    }

    @Test("two endpoints need two names, one of each kind a secret file")
    func names() {
        let one = "  - { name: a, url: \"https://a.example\", secretFile: s }\n"
        #expect(throws: ConfigurationError.self) { try parse(one + one) }
        #expect(throws: ConfigurationError.self) { try parse("  - { url: \"https://a.example\" }") }
    }

    @Test("a secret has 24 to 64 bytes, and at most two stand in a file")
    func secrets() {
        func line(_ count: Int) -> String { "whsec_" + base64(count) }
        for count in [24, 32, 64] { #expect(WebhookSecret(text: line(count)) != nil) }
        for count in [23, 65] { #expect(WebhookSecret(text: line(count)) == nil) }
        #expect(WebhookSecret(text: line(24) + "\n" + line(32) + "\n") != nil)
        #expect(WebhookSecret(text: [line(24), line(32), line(40)].joined(separator: "\n")) == nil)
        for text in ["", "whsec_", "plain", base64(32), "whsec_!!!!"] {
            #expect(WebhookSecret(text: text) == nil)
        }
    }

    @Test("during rotation each secret of the file signs, in its order; none is shown")
    func rotation() throws {
        // The example of the specification, and the same message under the bytes 1 to 32.
        let signatures = [
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            "v1,frM35V2Z51bxs4v81I6TpLnscXkhXtKLP/7WPYVyj3A=",
        ]
        let secret = try #require(
            WebhookSecret(
                text: """
                    whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
                    whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=
                    """))
        let signature = secret.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8))
        #expect(signature == signatures.joined(separator: " "))
        #expect(String(describing: secret) == "WebhookSecret")
        #expect(!String(reflecting: secret).contains("MfKQ9"))
    }

    private func base64(_ count: Int) -> String {
        let whole = String(repeating: "AAAA", count: count / 3)
        return whole + ["", "AA==", "AAA="][count % 3]
    }

    @Test(
        "an endpoint is shown without the path and the query of its address",
        arguments: [
            ("https://a.example:8443/x?key=1", "https://a.example:8443"),
            ("https://a.example?key=1", "https://a.example"),
            ("http://[::1]:80", "http://[::1]:80"),
        ])
    func origin(url: String, origin: String) throws {
        let endpoint = WebhookEndpoint(
            name: "a", url: url, environment: .production, filter: ChangeFilter(),
            secret: try #require(WebhookSecret(text: "whsec_" + base64(24))))
        let standing = WebhookStanding(
            endpoint: endpoint, row: nil, waiting: 0, parked: 0, head: 0)
        #expect(standing.origin == origin)
    }

    @Test("a missing secret file names its key and not its content")
    func missingFile() throws {
        var configuration = ServiceConfiguration()
        configuration.webhooks = [
            ServiceConfiguration.Webhook(
                name: "a", url: "https://a.example", secretFile: "/nowhere/x")
        ]
        #expect(
            throws: ConfigurationError(.unreadableFile, key: "webhooks[0].secretFile", reason: "")
        ) { try WebhookEndpoint.endpoints(of: configuration) }
    }
}
