import AppStore
import Foundation
import LedgerTestSupport
import Simulator
import Testing

/// Typical mistakes of new users, and misleading advice fixed before.
@Suite("A newcomer's first commands")
struct NewcomerCommandTests {
    // MARK: verifyReceipt

    @Test("verify-receipt uses the configured URL, and --base-url overrides it")
    func verifyReceipt() async throws {
        try await APICommandTests().serving { place, _ in
            let key = try #require(place.options.firstIndex(of: "--key-file"))
            let url = try #require(place.options.last)
            let receipt = ReceiptContents(
                type: .production, bundleId: Evidence.app,
                creationDate: MigrateCommandTests.stored,
                purchases: [
                    ReceiptContents.subscription(
                        productId: "pro", transactionId: "1",
                        purchaseDate: MigrateCommandTests.stored, expiresDate: nil)
                ])
            try place.write(Data(try TestAuthority.receipts.sign(receipt)), to: "r.der")
            try place.write(["another-secret"], to: "secret")
            let app = [
                "apps:", "  - bundleId: \(Evidence.app)", "    sharedSecretFile: secret",
                "    api: { keyId: K, issuerId: 57246542-96fe-1a63-e053-0824d011072a,",
                "      privateKeyFile: '\(place.options[key + 1])', baseUrl: '\(url)' }",
            ]
            try place.write(app, to: "trial.yaml")
            let ask = ["api", "verify-receipt", "r.der", "--config", "trial.yaml"]
            // Only the server can detect the wrong secret.
            let reported = try await place.run(ask)
            #expect(reported.errorCode == "wrongSharedSecret", "\(reported.err)")
            let elsewhere = try await place.run(ask + ["--base-url", "http://127.0.0.1:1"])
            #expect(elsewhere.errorCode == "appleUnreachable", "\(elsewhere.err)")
        }
    }

    // MARK: doctor

    @Test("doctor is bad where serve would not start, with the same message")
    func doctor() async throws {
        let place = try Workplace(options: Evidence.options + ["--config", "own.yaml"])
        _ = try await place.run(["audit", "keygen", "--origin", "other/log", "other.key"])
        for (lines, subject, code) in [
            (
                ["webhooks:", "  - { name: books, url: 'http://127.0.0.1:9/', secretFile: none }"],
                "webhook books", "unreadableFile"
            ),
            (
                ["server: { tls: { certificateFile: none.pem, privateKeyFile: none.key } }"],
                "tls", "none.pem"
            ),
            (["server: { host: 0.0.0.0 }"], "server", "server.host"),
            (
                ["audit: { origin: example.com/log, keyFile: none.key }"],
                "audit of example.com/log", "audit.keyFile"
            ),
            (
                ["audit: { origin: example.com/log, keyFile: other.key }"],
                "audit of example.com/log", "other/log"
            ),
        ] {
            try place.write(lines, to: "own.yaml")
            let doctor = try await place.run("doctor")
            #expect(doctor.code == 1)
            let line = doctor.out.split(separator: "\n").first { $0.hasPrefix("BAD ") }
            let reported = try #require(line).description
            #expect(reported.hasPrefix("BAD  \(subject): "))
            let served = try await place.run("serve", "--port", "0")
            #expect(served.code == 78)
            let reason = String(reported.dropFirst("BAD  \(subject): ".count))
            #expect(served.err.contains(reason), "\(code): \(served.err)")
        }
    }

    @Test("doctor reports a usable webhook and tokens as good")
    func healthy() async throws {
        let place = try WebhooksCommandTests().workplace()
        let doctor = try await place.run("doctor", "--json")
        #expect(doctor.code == 0, "\(doctor.out)")
        let good = try doctor.json()["findings"]?.array?.filter { $0["level"]?.string == "good" }
        let subjects = good?.compactMap { $0["subject"]?.string } ?? []
        #expect(subjects.contains("webhook books"))
        #expect(subjects.contains("server"))
        #expect(!doctor.out.contains(WebhooksCommandTests.secret))
    }

    // MARK: Roots

    @Test("Identical refusals are one line, with the remedy")
    func gathered() async throws {
        let place = try Workplace()
        try place.write(Evidence.lines, to: "in.ndjson")
        let without = ["--data", "other", "--bundle-id", Evidence.app]
        let refused = try await place.run(["ingest", "in.ndjson"] + without)
        #expect(refused.code == 1)
        let lines = refused.err.split(separator: "\n").filter { $0.contains("untrustedRoot") }
        #expect(lines.count == 1)
        #expect(
            lines.first?.hasPrefix(
                "in.ndjson:1, in.ndjson:2, in.ndjson:3 and 1 more: untrustedRoot: ") == true)
        #expect(lines.first?.contains("--trust-root") == true)
        #expect(try await place.run("ingest", "in.ndjson").code == 0)
        let audit = ["audit", "verify", "--signatures", "--data", "data"]
        let reported = try await place.run(audit)
        #expect(reported.code == 1)
        let bad = reported.out.split(separator: "\n").filter { $0.hasPrefix("BAD ") }
        #expect(bad.count == 1)
        #expect(bad.first?.hasPrefix("BAD  positions 1, 2, 3 and 1 more: untrustedRoot: ") == true)
        let json = try await place.run(audit + ["--json"]).json()
        #expect(json["signatureFindings"]?.array?.count == 4)
    }

    // MARK: Wrong directories and ids

    @Test("audit verify finds no log, creates none, and is clean for an empty one")
    func nowhere() async throws {
        let place = try Workplace()
        for _ in 1...2 {
            let missing = try await place.run("audit", "verify")
            #expect(missing.code == 1 && missing.errorCode == "noLog", "\(missing.err)")
            #expect(missing.err.contains("data/production") && missing.err.contains("--data"))
        }
        try place.write([], to: "empty.ndjson")
        #expect(try await place.run("ingest", "empty.ndjson").code == 0)
        let empty = try await place.run("audit", "verify")
        #expect(empty.code == 0 && empty.err.isEmpty, "\(empty.err)")
    }

    @Test("A chain given as a customer, and a customer as a chain, get a hint to the other command")
    func mixedUp() async throws {
        let place = try await Workplace.taken()
        let chain = try await place.run("entitlements", Evidence.id)
        #expect(chain.code == 0)
        #expect(chain.err.contains("subledger show \(Evidence.id)"))
        let stranger = try await place.run("entitlements", "user-42")
        #expect(stranger.code == 0)
        #expect(stranger.err.isEmpty)
        for command in ["show", "timeline"] {
            let reported = try await place.run(command, "user-42")
            #expect(reported.code == 1)
            #expect(reported.err.contains("subledger timeline --customer user-42"))
            #expect(reported.err.contains("subledger entitlements user-42"))
        }
    }

    @Test("A day is a time, and an invalid one is reported")
    func days() async throws {
        let place = try await Workplace.taken()
        let day = try await place.run("show", Evidence.id, "--at", "2026-01-20", "--json")
        #expect(try day.json()["at"]?.string == "2026-01-20T00:00:00.000Z")
        for arguments in [
            ["show", Evidence.id, "--at", "soon"], ["recover", "--from", "soon"],
        ] {
            let reported = try await place.run(arguments + place.options)
            #expect(reported.code == 64)
            #expect(reported.err.contains("a day (2026-01-31, midnight UTC)"))
        }
    }
}
