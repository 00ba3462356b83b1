import AppStore
import Intake
import Proofs
import TestSupport
import Testing

@testable import Service

@Suite("How checkpoints are signed, in the configuration")
struct AuditConfigurationTests {
    private func audits(_ text: String) throws -> [ServiceConfiguration.Audit] {
        try ServiceConfiguration(yaml: text).audits
    }

    private func witness(_ number: Int) throws -> String {
        let key = try NoteSignerKey(name: "w\(number)", algorithm: .cosignature).verifier
        return "{ name: w\(number), url: \"https://w.example.com\", key: \"\(key)\" }"
    }

    private func entry(_ more: String) -> String {
        "audit: { origin: example.com/log, keyFile: audit.key\(more) }\n"
    }

    @Test("One log or several, each once, with an interval of an hour unless it is named")
    func logs() throws {
        #expect(try audits("").isEmpty)
        let one = try #require(try audits(entry("")).first)
        #expect(one.environment == .production && one.origin == "example.com/log")
        #expect(one.intervalMilliseconds == 3_600_000 && one.witnesses.isEmpty)
        let list = """
            audit:
              - { origin: a, keyFile: a.key }
              - { origin: b, keyFile: b.key, environment: sandbox }

            """
        #expect(try audits(list).map(\.environment) == [.production, .sandbox])
        #expect(throws: ConfigurationError.self) {
            try audits(list + "  - { origin: c, keyFile: c.key, environment: sandbox }\n")
        }
    }

    @Test("An origin of several environments is accepted, with one warning for each such origin")
    func sharedOrigins() throws {
        let apart = """
            audit:
              - { origin: a, keyFile: a.key }
              - { origin: b, keyFile: b.key, environment: sandbox }

            """
        let shared = apart + "  - { origin: a, keyFile: a.key, environment: xcode }\n"
        #expect(try ServiceConfiguration(yaml: apart).originWarnings == [])
        let configuration = try ServiceConfiguration(yaml: shared)
        #expect(configuration.audits.map(\.origin) == ["a", "b", "a"])
        let warnings = configuration.originWarnings
        #expect(warnings.count == 1 && warnings[0].contains("the origin a:"))
    }

    @Test(
        "An entry that is not valid is an error",
        arguments: [
            ", environment: moon", ", interval: often", ", interval: P1M", ", interval: PT59S",
            ", color: red", ", witnesses: [{ name: w }]",
            ", witnesses: [{ name: w, url: \"http://w.example.com\", key: k }]",
            ", witnesses: [{ name: w, url: \"https://w.example.com\", key: k }]",
        ])
    func invalid(more: String) {
        #expect(throws: ConfigurationError.self) { try audits(entry(more)) }
    }

    @Test("The origin is the name of a key; errors of a list name the entry")
    func places() throws {
        func list(_ origin: String) -> String {
            """
            audit:
              - { origin: a, keyFile: a.key }
              - { origin: "\(origin)", keyFile: /none/b.key, environment: sandbox }

            """
        }
        for origin in ["a b", "a+b", String(repeating: "b", count: 257)] {
            let error = #expect(throws: ConfigurationError.self) { try audits(list(origin)) }
            #expect(error?.code == .invalidValue && error?.key == "audit[1].origin")
        }
        let longest = try ServiceConfiguration(yaml: list(String(repeating: "b", count: 256)))
        #expect(longest.secretPaths.map(\.key) == ["audit[0].keyFile", "audit[1].keyFile"])
        let unread = #expect(throws: ConfigurationError.self) {
            try longest.auditKey(.sandbox)
        }
        #expect(unread?.key == "audit[1].keyFile")
        let one = try ServiceConfiguration(yaml: entry(""))
        #expect(one.secretPaths.map(\.key) == ["audit.keyFile"])
    }

    @Test("The shortest interval is taken; a key that signs texts is no witness's")
    func bounds() throws {
        let least = ServiceConfiguration.Audit.minimumIntervalMilliseconds
        #expect(try audits(entry(", interval: PT1M")).first?.intervalMilliseconds == least)
        let key = try NoteSignerKey(name: "w").verifier
        #expect(throws: ConfigurationError.self) {
            try audits(
                entry(
                    ", witnesses: [{ name: w, url: \"https://w.example.com\", key: \"\(key)\" }]"))
        }
    }

    @Test("The key file holds a log's key of the configured origin, and nothing else")
    func keyFiles() throws {
        let directory = try TemporaryDirectory()
        var audit = ServiceConfiguration.Audit(
            environment: .production, origin: "example.com/log",
            keyFile: directory.file("audit.key"))
        let own = try NoteSignerKey(name: audit.origin)
        let other = try NoteSignerKey(name: "other/log")
        let witness = try NoteSignerKey(name: audit.origin, algorithm: .cosignature)
        for (text, isTaken) in [
            (own.secretText, true), (own.secretText + "\n", true), (other.secretText, false),
            (witness.secretText, false), (own.verifier.description, false), ("", false),
        ] {
            _ = try directory.write(Array(text.utf8), to: "audit.key")
            #expect(((try? audit.signerKey()) != nil) == isTaken)
        }
        let bound = ServiceConfiguration.Audit.keyByteCount
        for (count, code) in [
            (bound, ConfigurationError.Code.invalidValue), (bound + 1, .unreadableFile),
        ] {
            let text = [UInt8](repeating: UInt8(ascii: "k"), count: count)
            _ = try directory.write(text, to: "audit.key")
            let error = #expect(throws: ConfigurationError.self) { try audit.signerKey() }
            #expect(error?.code == code)
        }
        audit.keyFile = directory.file("none.key")
        #expect(throws: ConfigurationError.self) { try audit.signerKey() }
    }

    @Test("As many witnesses as are allowed, and one more")
    func witnesses() throws {
        let all = try (0...ServiceConfiguration.witnessCount).map { try witness($0) }
        let most = all.dropLast().joined(separator: ", ")
        let count = try audits(entry(", witnesses: [\(most)]")).first?.witnesses.count
        #expect(count == ServiceConfiguration.witnessCount)
        #expect(throws: ConfigurationError.self) {
            try audits(entry(", witnesses: [\(all.joined(separator: ", "))]"))
        }
    }
}
