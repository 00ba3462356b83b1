import AppStore
import Intake
import LedgerTestSupport
import Service
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
        var reported = try await findings(place)
        #expect(reported.contains { $0.subject.hasPrefix("shared secret") && $0.level == .good })
        try place.share("short")
        reported = try await findings(place)
        let bad = try #require(reported.first { $0.subject.hasPrefix("shared secret") })
        #expect(bad.level == .bad)
        #expect(!bad.message.contains("short\n"))
        #expect(bad.message.contains("sharedSecretFile"))
    }

    private func findings(_ place: TemporaryLedger) async throws -> [Doctor.Finding] {
        await Doctor(
            configuration: ServiceConfiguration(place.configuration), environment: .production,
            roots: place.roots,
            now: place.now
        ).examine()
    }
}
