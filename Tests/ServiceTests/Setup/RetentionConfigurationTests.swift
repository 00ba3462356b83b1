import AppStore
import AppStoreAPI
import Intake
import Ledger
import LedgerTestSupport
import Service
import Simulator
import TestSupport
import Testing

@Suite("Rules for retention messages in the configuration")
struct RetentionConfigurationTests {
    private static let message = "758883E8-151B-47B7-ABD0-60C4D804C2F5"

    private func rules(_ text: String) throws(ConfigurationError) -> [RetentionRule] {
        try ServiceConfiguration(yaml: text).retention
    }

    @Test(
        "A rule that is not valid is an error",
        arguments: [
            "{ message: \(message) }", "{ name: a }", "{ name: a, message: hello }",
            "{ name: a b, message: \(message) }", "{ name: a, message: \(message), color: red }",
            "{ name: a, message: \(message), phases: [new] }",
            "{ name: a, message: \(message), phases: [] }",
            "{ name: a, message: \(message), products: [] }",
            "{ name: a, message: \(message), locales: [] }",
            "{ name: a, message: \(message), tenureDays: { from: 2, below: 2 } }",
            "{ name: a, message: \(message), tenureDays: { from: -1 } }",
            "{ name: a, message: \(message), refunds: }",
            "{ name: a, message: \(message), tenureDays: { days: 1 } }",
            "{ name: a, message: \(message), price: { from: 1 } }",
            "{ name: a, message: \(message), price: { currency: usd } }",
            "{ name: a, message: \(message), alternateProduct: '' }",
            "{ name: a, message: \(message), promotionalOffer: a b }",
            "{ name: a, message: \(message), environment: moon }",
            "{ name: a, message: \(message), alternateProduct: b, promotionalOffer: c }",
            "{ name: a, message: \(message), alternateProduct: b, billingPlanType: YEARLY }",
            "{ name: a, message: \(message), billingPlanType: MONTHLY }",
        ])
    func invalid(rule: String) {
        #expect(throws: ConfigurationError.self) { try rules("retention:\n  - \(rule)\n") }
    }

    @Test("Every key of a rule")
    func full() throws {
        let rule = try #require(
            try rules(
                """
                retention:
                  - name: a
                    message: \(Self.message)
                    alternateProduct: basic
                    billingPlanType: MONTHLY
                    environment: sandbox
                    bundleId: com.example.app
                    products: [pro]
                    locales: [en-US]
                    phases: [standard, offer]
                    tenureDays: { from: 90, below: 365 }
                    price: { currency: USD, from: 1000 }
                    refunds: { below: 1 }
                    cancellations: { from: 1 }
                """
            ).first)
        var expected = RetentionRule(name: "a", message: Self.message.lowercased())
        expected.alternateProduct = ProductId("basic")
        expected.billingPlanType = .monthly
        expected.environment = .sandbox
        expected.bundleId = BundleId("com.example.app")
        expected.products = [ProductId("pro")]
        expected.locales = ["en-US"]
        expected.phases = [.standard, .offer]
        expected.tenureDays = RetentionRule.Bounds(from: 90, below: 365)
        expected.price = RetentionRule.Price(
            currency: "USD", milliunits: RetentionRule.Bounds(from: 1_000))
        expected.refunds = RetentionRule.Bounds(below: 1)
        expected.cancellations = RetentionRule.Bounds(from: 1)
        #expect(rule == expected)
    }

    @Test("A rule of an environment that is not served, or whose offer cannot be signed: warnings")
    func unusable() async throws {
        // given
        let ledger = try TemporaryLedger()
        let key = try ledger.directory.write(ServedKey().pem, to: "key.p8")
        let configuration = try ServiceConfiguration(
            yaml: """
                dataDirectory: \(ledger.directory.file("data"))
                apps:
                  - { bundleId: a.keyed, api: { keyId: K, issuerId: I, privateKeyFile: \(key) } }
                  - { bundleId: a.lost, api: { keyId: K, issuerId: I, privateKeyFile: /none } }
                  - { bundleId: a.bare }
                retention:
                  - { name: plain, message: \(Self.message), environment: sandbox }
                  - { name: elsewhere, message: \(Self.message), environment: xcode }
                  - { name: keyed, message: \(Self.message), promotionalOffer: o, bundleId: a.keyed }
                  - { name: bare, message: \(Self.message), promotionalOffer: o, bundleId: a.bare }
                  - { name: all, message: \(Self.message), promotionalOffer: o }
                """)
        // when
        let warnings = configuration.unusableRetentionRuleWarnings(
            serving: [.production, .sandbox])
        let found = await Doctor(
            configuration: configuration, environment: .production, roots: ledger.roots,
            now: ledger.now
        ).examine().filter { $0.subject == "retention" }
        // then
        try #require(warnings.count == 3, "\(warnings)")
        #expect(
            warnings[0].hasPrefix("The retention rule elsewhere never applies: it is of Xcode,"))
        #expect(warnings[1].contains("rule bare answers without a message for a.bare: "))
        #expect(warnings[2].contains("rule all answers without a message for a.lost, a.bare: "))
        #expect(found == warnings.map { Doctor.Finding(.warning, "retention", $0) })
    }

    @Test("An offer's identifier as long as can be signed is read, a longer one is an error")
    func offer() throws {
        for (excess, isRead) in [(0, true), (1, false)] {
            let offer = String(repeating: "o", count: SignatureRequest.textByteCount + excess)
            let rule = "{ name: a, message: \(Self.message), promotionalOffer: \(offer) }"
            let read = try? rules("retention:\n  - \(rule)\n").first?.promotionalOffer
            #expect(read == (isRead ? offer : nil))
        }
    }

    @Test("As many rules as allowed are read, one more is an error", arguments: [0, 1])
    func count(excess: Int) throws {
        let count = ServiceConfiguration.retentionRuleCount + excess
        let text =
            "retention:\n"
            + (0..<count).map { "  - { name: r\($0), message: \(Self.message) }\n" }.joined()
        guard excess == 0 else {
            #expect(throws: ConfigurationError.self) { try rules(text) }
            return
        }
        #expect(try rules(text).count == count)
    }
}
