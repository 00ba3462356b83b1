import AppStore
import Foundation
import Intake
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Service
import Signing
import Simulator
import TestSupport
import Testing

@Suite("Separation of environments and apps")
struct EnvironmentTests {
    private let production = MadeChain(id: "530000000000001")
    private let sandbox = MadeChain(id: "530000000000002", environment: .sandbox)

    @Test("One file ingested twice fills two independent ledgers")
    func twoLedgers() async throws {
        let directory = try TemporaryDirectory()
        let one = try TemporaryLedger(environment: .production, in: directory)
        let two = try TemporaryLedger(environment: .sandbox, in: directory)
        let file = production.life + sandbox.life
        for (ledger, own, other) in [(one, production, sandbox), (two, sandbox, production)] {
            let summary = try await ledger.ingest(file)
            #expect(summary.appended == 4)
            #expect(summary.quarantined == 4)
            #expect(summary.rejected == 0)
            #expect(Set(summary.errors.map(\.code)) == ["wrongEnvironment"])
            #expect(summary.position == 4)
            let show = try await ledger.show(own.id)
            #expect(show["environment"]?.string == ledger.environment.rawValue)
            await #expect(throws: QueryError.noSuchSubscription(other.id)) {
                try await ledger.show(other.id)
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.file("data"))
        #expect(names.sorted() == ["production", "sandbox"])
    }

    @Test("An environment that is named twice is served once")
    func namedTwice() async throws {
        let place = try TemporaryLedger(environment: .sandbox)
        try await Gate.ledgers.pass {
            let host = try await LedgerHost.open(
                ServiceConfiguration(place.configuration),
                environments: [.sandbox, .production, .sandbox], roots: place.roots, steady: nil
            ) { TemporaryLedger.end }
            let served = host.ledgers.map(\.environment)
            async let running: Void = host.run()
            host.stop()
            await running
            #expect(served == [.sandbox, .production])
        }
    }

    @Test(
        "Signed evidence that names no environment is of the named one; without one it is quarantined",
        arguments: [Environment.production, .sandbox])
    func unnamedEnvironment(environment: Environment) async throws {
        let chain = MadeChain(environment: nil)
        let ledger = try TemporaryLedger(environment: environment)
        func ingest(_ chain: MadeChain, named: Bool) async throws -> IngestSummary {
            try await ledger.ledger { opened in
                let now = ledger.now
                return try await Ingest(
                    ledger: opened, apps: ledger.configuration.apps, verifier: ledger.verifier,
                    isEnvironmentNamed: named
                ) { now }.run(lines: [chain.bought().line()], input: "test")
            }
        }
        let refused = try await ingest(chain, named: false)
        #expect(refused.errors.map(\.code) == ["environmentMissing"])
        #expect(refused.errors.first?.message.contains("--environment") == true)
        #expect(refused.quarantined == 1 && refused.position == 0)
        // Evidence that names its environment needs nothing else.
        let reported = MadeChain(id: "530000000000009", environment: environment)
        #expect(try await ingest(reported, named: false).appended == 1)
        // The copy stays until the environment is named.
        let (apps, verifier) = (ledger.configuration.apps, ledger.verifier)
        func retry(named: Bool) async throws -> IngestSummary {
            try await ledger.ledger {
                try await Quarantine(ledger: $0).retry(
                    apps: apps, verifier: verifier, isEnvironmentNamed: named)
            }
        }
        #expect(try await retry(named: false).appended == 0)
        #expect(try await retry(named: true).appended == 1)
        let later = MadeChain(id: "530000000000010", environment: nil)
        #expect(try await ingest(later, named: true).appended == 1)
        for id in [chain.id, later.id] {
            #expect(try await ledger.show(id)["environment"]?.string == environment.rawValue)
        }
    }

    @Test("A refusal states the actual and the expected value")
    func foundAndExpected() async throws {
        var ledger = try TemporaryLedger()
        ledger.configuration.apps[0].appAppleId = MadeChain.appAppleId + 1
        var other = production
        other.bundleId = "com.example.other"
        let summary = try await ledger.ingest([
            other.bought(), sandbox.bought(), production.bought(),
        ])
        let messages = summary.errors.map(\.message)
        #expect(summary.errors.map(\.code) == ["wrongApp", "wrongEnvironment", "wrongApp"])
        try #require(messages.count == 3)
        let words = [
            ["com.example.other", MadeChain.app], ["Sandbox", "Production"],
            ["\(MadeChain.appAppleId)", "\(MadeChain.appAppleId + 1)"],
        ]
        for (message, names) in zip(messages, words) {
            for name in names { #expect(message.contains(name), "\(message)") }
        }
    }

    @Test("Two apps share a log and keep their chains apart, even with the same id")
    func twoApps() async throws {
        let other = MadeChain(
            id: production.id, bundleId: "com.example.other", start: production.start(7))
        let ledger = try TemporaryLedger(apps: [MadeChain.app, other.bundleId])
        let summary = try await ledger.ingest(production.life + [other.bought()])
        #expect(summary.appended == 5)
        let first = try await ledger.show(production.id, bundleId: MadeChain.app)
        let second = try await ledger.show(
            production.id, at: other.start(0), bundleId: other.bundleId)
        #expect(first["since"]?.string == production.start(2).rfc3339)
        #expect(second["since"]?.string == other.start.rfc3339)
        #expect(second["bundleId"]?.string == other.bundleId)
    }

    // MARK: Xcode

    static let xcodeApp = "com.example.naturelab.backyardbirds.example"

    @Test("Xcode's data goes into the xcode ledger and no other", Fixtures.condition)
    func xcode() async throws {
        let files = ["098-XCODE-transaction.jws", "100-XCODE-app-transaction.jws"]
        for environment in [Environment.production, .sandbox, .localTesting, .xcode] {
            var ledger = try TemporaryLedger(
                environment: environment, apps: [EnvironmentTests.xcodeApp])
            ledger.roots = .apple
            let summary = try await ledger.ingest(try files.map { try Fixtures.jws($0) })
            let isXcode = environment == .xcode
            #expect(summary.appended == (isXcode ? 2 : 0))
            #expect(summary.rejected == (isXcode ? 0 : 2))
            #expect(
                summary.errors.map(\.code)
                    == (isXcode ? [] : ["invalidChainLength", "invalidChainLength"]))
        }
    }

    @Test("Xcode's own certificate is named as such, and its purchases work", Fixtures.condition)
    func xcodeTrust() async throws {
        var ledger = try TemporaryLedger(
            environment: .xcode, apps: [EnvironmentTests.xcodeApp])
        ledger.roots = .apple
        let transaction = try Fixtures.jws("098-XCODE-transaction.jws")
        let payload = try TransactionPayload.decode(CompactJWS(parsing: transaction).payload)
        let at = try #require(payload.signedDate)
        _ = try await ledger.ingest([transaction])
        let events = try await ledger.exportLines(.events)
        #expect(events.map { $0["trust"]?.string } == ["xcode"])
        // No root of Apple's, since Apple does not sign it.
        #expect(events.first?["rootFingerprint"]?.string.map { $0.hasPrefix("63343a") } != true)
        let show = try await ledger.show("0", at: at)
        #expect(show["trust"]?.string == "xcode")
        #expect(show["state"]?.string == "subscribed" && show["entitled"]?.bool == true)
        let audit = try await ledger.ledger { opened in
            try await opened.log.verify().findings
        }
        #expect(audit.isEmpty)
    }

    @Test("Purchases in Xcode's receipts name no chain: they are refused, and do not become \"0\"")
    func xcodeReceipt() async throws {
        var ledger = try TemporaryLedger(environment: .xcode)
        ledger.roots = .apple
        func receipt(_ original: String) throws -> [UInt8] {
            try ReceiptAuthority.signAsXcode(
                payload: ReceiptContents(
                    type: .xcode, bundleId: MadeChain.app, creationDate: production.start,
                    purchases: [
                        ReceiptContents.subscription(
                            productId: MadeChain.product, transactionId: "0",
                            originalTransactionId: original, purchaseDate: production.start,
                            expiresDate: production.start(1))
                    ]
                ).payload)
        }
        let summary = try await ledger.ingest(file: receipt(""))
        #expect(summary.errors.map(\.code) == ["undecodablePayload"])
        #expect(summary.errors.first?.message.contains("original transaction") == true)
        await #expect(throws: QueryError.noSuchSubscription("0")) { try await ledger.show("0") }
        // Evidence that names its chain belongs to it.
        #expect(try await ledger.ingest(file: receipt("7")).appended == 1)
        #expect(try await ledger.show("7", at: production.start)["trust"]?.string == "xcode")
    }

    @Test("Evidence signed by a genuine certificate chain is not accepted as Xcode's")
    func signedXcode() async throws {
        let chain = MadeChain(environment: .xcode)
        let refused = try await TemporaryLedger(environment: .sandbox).ingest([chain.bought()])
        #expect(refused.rejected + refused.quarantined == 1)
        #expect(refused.errors.map(\.code) == ["wrongEnvironment"])
    }

    // MARK: Roots

    @Test("Without the extra root its evidence is refused; with it, events carry its fingerprint")
    func extraRoot() async throws {
        var ledger = try TemporaryLedger()
        ledger.roots = .apple
        let refused = try await ledger.ingest(production.life)
        #expect(refused.rejected == 4)
        #expect(Set(refused.errors.map(\.code)) == ["untrustedRoot"])
        ledger.roots = TestAuthority.roots
        let taken = try await ledger.ingest(production.life)
        #expect(taken.appended == 4)
        let events = try await ledger.exportLines(.events)
        #expect(
            Set(events.map { $0["rootFingerprint"]?.string })
                == [TestAuthority.rootFingerprint.hexadecimal])
    }

    @Test(
        "The doctor warns of extra roots, and of events signed under them, in Production only",
        arguments: [Environment.production, .sandbox])
    func doctor(environment: Environment) async throws {
        let ledger = try TemporaryLedger(environment: environment)
        let chain = MadeChain(environment: environment)
        _ = try await ledger.ingest(chain.life)
        let findings = await ledger.examined()
        let warnings = findings.filter { $0.level == .warning }
        let isProduction = environment == .production
        #expect(warnings.contains { $0.subject == "roots" } == isProduction)
        #expect(
            warnings.contains { $0.subject == "log" && $0.message.contains("4 events") }
                == isProduction)
        #expect(findings.contains { $0.subject == "projections" && $0.level == .good })
    }
}
