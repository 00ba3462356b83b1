import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Queries
import Simulator
import TestSupport
import Testing

@Suite("Exports")
struct ExportTests {
    private static let all = [
        MadeChain(id: "550000000000003"), MadeChain(id: "550000000000001"),
        MadeChain(id: "550000000000002", product: #"com.example."odd", pro"#),
    ]

    private let chains = ExportTests.all

    private static let shared = SharedLedger { ledger in
        _ = try await ledger.ingest(all[0].life + [all[1].bought()] + all[2].life)
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    /// Events 4 + 1 + 4; transitions 3 + 2 + 3; facts 2 + 0 + 2.
    static let counts: [(Export.Subject, Int)] = [
        (.subscriptions, 3), (.transitions, 8), (.facts, 4), (.events, 9),
    ]

    @Test(
        "Each item is one line, and one row with the same values, including quotes and commas",
        arguments: counts)
    func lines(subject: Export.Subject, count: Int) async throws {
        let ledger = try await taken()
        let rows = CommaSeparated.rows(try await ledger.export(subject, .csv))
        let lines = try await ledger.exportLines(subject)
        #expect(lines.count == count && rows.count == count + 1)
        let header = try #require(rows.first)
        #expect(Set(header).count == header.count)
        for (row, line) in zip(rows.dropFirst(), lines) {
            #expect(row.count == header.count)
            for (column, text) in zip(header, row) {
                let value = column.split(separator: ".").reduce(line) { found, key in
                    found[String(key)] ?? .null
                }
                let expected =
                    value.isNull
                    ? "" : value.string ?? String(decoding: value.encoded(), as: UTF8.self)
                #expect(text == expected, "\(column)")
            }
            #expect(Set(header.map { $0.prefix { $0 != "." } }) == Set(line.keys.map { $0[...] }))
        }
    }

    @Test("An empty ledger exports only a header")
    func empty() async throws {
        let ledger = try TemporaryLedger()
        for subject in Export.Subject.allCases {
            #expect(try await ledger.export(subject).isEmpty, "\(subject)")
            let rows = CommaSeparated.rows(try await ledger.export(subject, .csv))
            #expect(rows.count == 1, "\(subject)")
        }
    }

    @Test("Chains come in the order of their ids, events by position")
    func order() async throws {
        let ledger = try await taken()
        let ids = try await ledger.exportLines(.subscriptions).compactMap {
            $0["originalTransactionId"]?.string
        }
        #expect(ids == chains.map(\.id).sorted())
        let positions = try await ledger.exportLines(.events).compactMap { $0["position"]?.int64 }
        #expect(positions == Array(1...9))
        for subject in [Export.Subject.transitions, .facts] {
            let places = try await ledger.exportLines(subject).map { line in
                "\(line["originalTransactionId"]?.string ?? "") \(line["at"]?.string ?? "")"
            }
            #expect(places == places.sorted())
        }
    }

    @Test("A line of subscriptions equals the answer of show")
    func sameAsShow() async throws {
        let ledger = try await taken()
        for line in try await ledger.exportLines(.subscriptions) {
            let id = try #require(line["originalTransactionId"]?.string)
            #expect(try await ledger.show(id) == line)
        }
    }

    @Test("A line of events has every key of the contract")
    func eventKeys() async throws {
        let keys = [
            "position", "key", "kind", "source", "trust", "conflict", "receivedAtClaimed",
            "rootFingerprint", "bundleId", "originalTransactionId", "notificationType", "subtype",
            "notificationUUID", "signedDate", "receivedAt", "leafHash",
        ]
        let ledger = try await taken()
        for line in try await ledger.exportLines(.events) {
            #expect(Set(line.keys).isSuperset(of: keys))
            #expect(!line.keys.contains("signedPayload"))
            #expect(line["kind"]?.string == "notification")
            #expect(line["source"]?.string == "import")
            #expect(line["trust"]?.string == "signed")
        }
        for line in try await ledger.exportLines(.events, adjust: { $0.withEvidence = true }) {
            #expect(line["signedPayload"]?.string?.hasPrefix("eyJ") == true)
        }
        let table = CommaSeparated.rows(
            try await ledger.export(.events, .csv) { $0.withEvidence = true })
        #expect(table.first?.last == "signedPayload")
        #expect(Set(table.map(\.count)).count == 1)
    }

    @Test("After a position: later events, and the chains they changed")
    func after() async throws {
        let ledger = try await taken()
        let events = try await ledger.exportLines(.events) { $0.after = 5 }
        #expect(events.compactMap { $0["position"]?.int64 } == [6, 7, 8, 9])
        let touched = try await ledger.exportLines(.subscriptions) { $0.after = 4 }
        #expect(
            touched.compactMap { $0["originalTransactionId"]?.string }
                == [chains[1].id, chains[2].id])
        #expect(try await ledger.exportLines(.subscriptions) { $0.after = 9 }.isEmpty)
        #expect(try await ledger.exportLines(.events) { $0.after = 9 }.isEmpty)
        #expect(try await ledger.exportLines(.events) { $0.after = .max }.isEmpty)
    }

    @Test("A chain that did not exist yet has no line")
    func notYet() async throws {
        let ledger = try await taken()
        let before = chains[0].start.advanced(byMilliseconds: -1)
        #expect(try await ledger.exportLines(.subscriptions, at: before).isEmpty)
        let known = try await ledger.exportLines(.subscriptions, knowledge: .knownPosition(4))
        #expect(known.compactMap { $0["originalTransactionId"]?.string } == [chains[0].id])
        #expect(try await ledger.exportLines(.events, knowledge: .knownPosition(4)).count == 4)
    }

    @Test("A table of facts states who decided, why and for whom")
    func decided() async throws {
        // given
        let ledger = try await taken()
        let order = CommandIntake.Order(
            actor: "sara", tokenName: "support", reason: "ticket 7;=1+1", key: "k-1")
        let now = ledger.now
        _ = try await ledger.ledger { opened in
            try await CommandIntake(ledger: opened) { now }.run(
                .link(CustomerId("ann")), about: chains[0].chainId, order)
        }

        // when
        let safe = CommaSeparated.rows(try await ledger.export(.facts, .csv))
        let raw = CommaSeparated.rows(try await ledger.export(.facts, .rawCSV))

        // then
        let names: [String] = ["name", "id", "actor", "tokenName", "reason", "customer"]
        // Columns are only added at the end.
        let last: [String] = ["change.to"] + names.map { "cause.command.\($0)" }
        for (rows, reason) in [(safe, "ticket 7;'=1+1"), (raw, "ticket 7;=1+1")] {
            let header = try #require(rows.first)
            #expect(Array(header.suffix(last.count)) == last)
            let row = try #require(rows.first { $0.contains("accountLinked") })
            let command: [String] = ["", "link", "k-1", "sara", "support", reason, "ann"]
            #expect(Array(row.suffix(last.count)) == command)
        }
    }

    @Test("Selecting an app excludes the others")
    func oneApp() async throws {
        let other = MadeChain(id: "550000000000009", bundleId: "com.example.other")
        let ledger = try TemporaryLedger(apps: [MadeChain.app, other.bundleId])
        _ = try await ledger.ingest(chains[0].life + other.life)
        for (subject, count) in [
            (Export.Subject.subscriptions, 1), (.transitions, 3), (.events, 4),
        ] {
            let lines = try await ledger.exportLines(subject) {
                $0.bundleId = BundleId(other.bundleId)
            }
            #expect(lines.count == count)
            #expect(Set(lines.map { $0["bundleId"]?.string }) == [other.bundleId])
        }
    }

    @Test("Many chains are exported page by page, without gaps or duplicates")
    func many() async throws {
        let ledger = try TemporaryLedger()
        // One page of chains, and one more.
        let many = (0...1_000).map { MadeChain(id: "56\($0 + 100_000)") }
        let summary = try await ledger.ingest(
            many.map { chain in
                let payload = chain.transaction(0, signed: chain.start)
                return MadeDelivery(receivedAt: chain.start, evidence: .transaction(payload))
            })
        #expect(summary.appended == 1_001)
        let ids = try await ledger.exportLines(.subscriptions).compactMap {
            $0["originalTransactionId"]?.string
        }
        #expect(ids == many.map(\.id))
        let positions = try await ledger.exportLines(.events).compactMap { $0["position"]?.int64 }
        #expect(positions == Array(1...1_001))
    }
}
