import AppStore
import Intake
import LedgerTestSupport
import Projection
import Queries
import Service
import TestSupport
import Testing

@Suite("Shared secrets")
struct SharedSecretTests {
    @Test(
        "A file holds one secret per line",
        arguments: [
            ("0123456789abcdef", true), ("\n 0123456789abcdef \n\n", true),
            ("01234567\n89abcdef\n01234567\n89abcdef", true),
            ("01234567\n89abcdef\n01234567\n89abcdef\n01234567", false), ("", false), ("\n", false),
            ("0123456", false), ("two words", false), ("tab\there01", false), ("umlautäöü", false),
            (String(repeating: "a", count: 128), true),
            (String(repeating: "a", count: 129), false),
        ])
    func text(text: String, isSecret: Bool) {
        #expect((SharedSecret(text: text) != nil) == isSecret)
    }

    @Test("A file of secrets that is not a regular one is refused, and not read")
    func special() {
        let error = #expect(throws: ConfigurationError.self) {
            try SecretFile.text("/dev/null", key: "k", upTo: 10)
        }
        #expect(error?.code == .unreadableFile)
    }

    @Test("Neither its description nor its mirror shows it")
    func hidden() throws {
        let secret = try #require(SharedSecret(text: "0123456789abcdef"))
        #expect(!"\(secret)".contains("0123"))
        #expect(!String(reflecting: secret).contains("0123"))
        var text = ""
        dump(secret, to: &text)
        #expect(!text.contains("0123"))
    }

    @Test(
        "A response that repeats it is shown without a password, and not at all with it elsewhere",
        arguments: [
            (#"{"status":0}"#, #"{"status":0}"#),
            (#"{"password":"01234567/9abcdef"}"#, #"{"password":"REDACTED"}"#),
            (#"{"exception":"01234567/9abcdef"}"#, nil),
            (#"{"01234567/9abcdef":1}"#, nil),
            (#"{"x":"a\u003001234567\/9abcdef"}"#, nil),
            (#"{"x":"\u00301234567\u002F9\u0061bcdef"}"#, nil),
            (#"{"x":"01234567\n9abcdef"}"#, #"{"x":"01234567\n9abcdef"}"#),
            (#"{"x":"01234567\u012F9abcdef"}"#, #"{"x":"01234567\u012F9abcdef"}"#),
            (#"{"x":"01234567\\/9abcdef"}"#, #"{"x":"01234567\\/9abcdef"}"#),
            (#"{"x":"\u003"#, #"{"x":"\u003"#), (#"\"#, #"\"#),
        ] as [(String, String?)])
    func shown(body: String, shown: String?) throws {
        let secret = try #require(SharedSecret(text: "01234567/9abcdef"))
        let reported = secret.shown(Array(body.utf8)).map { String(decoding: $0, as: UTF8.self) }
        #expect(reported == shown)
    }

    @Test("doctor reports whether it is usable, without a byte of it")
    func doctor() async throws {
        var place = try TemporaryLedger()
        try place.share("0123456789abcdef")
        var reported = await place.examined()
        #expect(reported.contains { $0.subject.hasPrefix("shared secret") && $0.level == .good })
        try place.share("short")
        reported = await place.examined()
        let bad = try #require(reported.first { $0.subject.hasPrefix("shared secret") })
        #expect(bad.level == .bad)
        #expect(!bad.message.contains("short\n"))
        #expect(bad.message.contains("sharedSecretFile"))
    }

    @Test("An audit by a service of one app verifies the seals of the others, too")
    func audited() async throws {
        // given
        let chain = MadeChain(bundleId: "com.example.other")
        var place = try TemporaryLedger(apps: [chain.bundleId])
        try place.share()
        _ = try await place.ingest([
            chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start)
        ])
        place.configuration.limit(to: BundleId(MadeChain.app))
        try await place.serve { host in
            // when
            let order = CommandIntake.Order(actor: "sara", reason: "r", key: "audit")
            _ = try await host.startAudit(withSignatures: true, order, .production)
            let last = ContinuousClock.now + .seconds(30)
            while try await host.audit(.production).running != nil, ContinuousClock.now < last {
                try await Task.sleep(for: .milliseconds(5))
            }
            // then
            guard case .finished(let found) = try await host.audit(.production).last?.state else {
                Issue.record("The audit did not finish.")
                return
            }
            #expect(found.report.signaturesVerified == 1)
            #expect(found.report.signaturesNotVerifiable == 0)
        }
    }
}
