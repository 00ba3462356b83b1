import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Reports
import SQLiteStore
import Simulator
import TestSupport
import Testing

/// Erasing persons changes no figure, today or as known earlier.
@Suite("Figures after an erasure")
struct ErasedFiguresTests {
    /// Every metric by product and country, of the whole and as known at a position; there outside
    /// soak one in six.
    private func figures(
        _ ledger: TemporaryLedger, at positions: [Int64?]
    ) async throws -> [String: String] {
        try await ledger.session { session in
            var found: [String: String] = [:]
            for position in positions {
                let names = MetricName.allCases + [.churn(isPaid: false), .churn(isPaid: true)]
                for (number, name) in names.enumerated()
                where position == nil || Soak.isOn || number.isMultiple(of: 6) {
                    var words = MetricParameters()
                    (words.from, words.interval) = (
                        "2022-01-01", Soak.isOn ? "month" : "quarter"
                    )
                    words.by = name == .lateness ? ["app"] : ["product", "country"]
                    let query = MetricsQuery(
                        session.snapshot, reportTimeZone: "UTC", now: ledger.now,
                        knowledge: position.map { .knownPosition($0) } ?? .everything)
                    let report = try await query.metric(name, words)
                    found["\(name) \(position ?? 0)"] = report.rows.map { row in
                        "\(row.from.rfc3339) \(row.group) "
                            + row.amounts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                            .joined(separator: " ")
                    }.joined(separator: "\n")
                }
            }
            return found
        }
    }

    /// The daily lines of a warehouse, summed over the chains.
    private func daily(_ ledger: TemporaryLedger) async throws -> [String: Int64] {
        try await ledger.session { session in try await daily(session) }
    }

    private func daily(_ session: LedgerSession) async throws -> [String: Int64] {
        let export = try #require(
            WarehouseExport(snapshot: session.snapshot, reportTimeZone: "UTC"))
        var bytes: [UInt8] = []
        try await export.run(.daily, format: .ndjson) { bytes += $0 }
        var sums: [String: Int64] = [:]
        for text in bytes.split(separator: UInt8(ascii: "\n")) {
            let line = try JSONValue.parse(Array(text))
            let key = ["day", "metric", "column", "productId", "storefront", "currency"]
                .map { line[$0]?.string ?? "-" }.joined(separator: " ")
            sums[key, default: 0] += line["amount"]?.int64 ?? 0
        }
        return sums.filter { $0.value != 0 }
    }

    private func chains(_ ledger: TemporaryLedger) async throws -> [String] {
        try await ledger.exportLines(.subscriptions).compactMap {
            $0["originalTransactionId"]?.string
        }
    }

    @Test("Every metric is the same, whichever lives are erased, together or one by one")
    func figures() async throws {
        let world = try MetricsWorld(lives: 1...40, seed: 3)
        try await world.take(0, of: 1)
        let count = Int64(world.lines.count)
        let positions: [Int64?] = Soak.isOn ? [nil, count / 3, count * 2 / 3] : [nil, count / 2]
        let before = try await figures(world.ledger, at: positions)
        let lines = try await daily(world.ledger)
        #expect(lines.contains { $0.key.contains("gross") })
        #expect(before.values.count { !$0.isEmpty } > before.count * 13 / 20)
        var chance = SeededGenerator(seed: 3)
        let chains = try await chains(world.ledger).shuffled(using: &chance)
        #expect(chains.count > 12)
        try await world.ledger.erase(chains: Array(chains[..<6]))
        for chain in chains[6..<9] { try await world.ledger.erase(chains: [chain]) }
        let after = try await figures(world.ledger, at: positions)
        for (name, figures) in before { #expect(after[name] == figures, "\(name)") }
        #expect(try await daily(world.ledger) == lines)
        // In quotes: short numbers are parts of others.
        #expect(try world.ledger.files(holding: chains[..<9].map { "\"\($0)\"" }).isEmpty)
        #expect(try await world.ledger.isSound())
    }

    @Test("All can be erased, and what Apple states again of a life is not counted a second time")
    func again() async throws {
        let world = try MetricsWorld(lives: 61...90, seed: 5)
        try await world.take(0, of: 1)
        let chains = try await chains(world.ledger)
        let before = try await figures(world.ledger, at: [nil])
        let daily = try await daily(world.ledger)
        try await world.ledger.erase(chains: chains)
        #expect(try await figures(world.ledger, at: [nil]) == before)
        #expect(try await self.daily(world.ledger) == daily)
        #expect(try await world.ledger.isSound())
        // The same transactions, signed again and so under other keys.
        var lines: [[UInt8]] = []
        let signer = DeliverySigner(authority: TestAuthority.shared, appAppleId: 1_234_567_890)
        let lives = (61...90).map { SubscriberWorld().life(seed: $0) }
        for life in lives where life.environment == .production {
            for delivery in life.deliveries {
                guard let transaction = delivery.transaction, let signed = transaction.signedDate
                else { continue }
                var later = transaction
                later.signedDate = signed.advanced(byMilliseconds: 1)
                lines.append(
                    try signer.line(
                        Delivery(
                            ordinal: delivery.ordinal, receivedAt: delivery.receivedAt,
                            evidence: .transaction(later))))
            }
        }
        let taken = try await world.ledger.ingest(lines)
        #expect(taken.appended > 20)
        #expect(try await self.chains(world.ledger).count > chains.count)
        let after = try await figures(world.ledger, at: [nil])
        for (name, figures) in before where !name.hasPrefix("lateness") {
            #expect(after[name] == figures, "\(name)")
        }
        #expect(try await world.ledger.isSound())
        // Nor once these lives are erased, too.
        let restated = try await self.chains(world.ledger).filter {
            !$0.hasPrefix(Pseudonyms.prefix)
        }
        #expect(!restated.isEmpty)
        try await world.ledger.erase(chains: restated)
        #expect(try await figures(world.ledger, at: [nil]) == after)
        #expect(try await world.ledger.isSound())
    }

    @Test("Bodies that restate the same transactions fit into an erasure that states each once")
    func restated() async throws {
        // given
        let chain = MadeChain()
        let bodies = (8..<20).flatMap { period in
            [
                chain.notificationV1(
                    "DID_RENEW", through: period, at: chain.start(period, 60_000)),
                chain.verifyReceipt(through: period, at: chain.start(period, 120_000)),
            ]
        }
        var bound = LogLimits.evidenceByteCount
        for _ in 0...1 {
            let ledger = try StoredReceipts.place()
            _ = try await ledger.ingest(bodies)
            let before = try await figures(ledger, at: [nil, 12])
            let lines = try await daily(ledger)
            #expect(before.values.contains { !$0.isEmpty } && !lines.isEmpty)
            // when
            let evidence = try await ledger.session { [bound] session in
                var erasure = PersonErasure(session, now: ledger.now)
                erasure.maximumByteCount = bound
                let receipt = try await erasure.run(
                    chains: [ledger.chain(chain.id)], customer: nil, TemporaryLedger.erasing)
                _ = try await session.currentSnapshot()
                let event = try await session.ledger.log.event(at: receipt.position)
                return try #require(try event?.originalBytes())
            }
            try await ledger.session { _ = try await $0.currentSnapshot() }
            // then
            let erasure = try #require(Erasure(evidence: evidence))
            let whole = erasure.facts.map { fact in
                var one = erasure
                (one.positions, one.chains, one.facts) = ([], [], [fact])
                return one.evidence.count - 200
            }
            #expect(erasure.facts.count == 348 && whole.reduce(0, +) > 2 * evidence.count)
            let after = try await figures(ledger, at: [nil, 12])
            for (name, figures) in before { #expect(after[name] == figures, "\(name)") }
            #expect(try await daily(ledger) == lines)
            #expect(try ledger.files(holding: [chain.id]).isEmpty)
            #expect(try await ledger.isSound())
            // The second time it fits exactly, and its whole form would not.
            bound = evidence.count
        }
    }

    @Test(
        "One of a customer's chains, erased alone, is another customer of ltv; erased with it, not",
        arguments: [(isAlone: true, customers: 2), (isAlone: false, customers: 1)])
    func lifetimeValue(isAlone: Bool, customers: Int64) async throws {
        // given
        let customer = "0ab11111-2222-4333-8444-555555555555"
        let chains = ["500000000000001", "600000000000001"].map {
            MadeChain(id: $0, appAccountToken: customer)
        }
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(chains.map { $0.bought() })
        func sums(_ knowledge: AsOf) async throws -> [Int64] {
            try await ledger.session { session in
                let query = MetricsQuery(
                    session.snapshot, reportTimeZone: "UTC", now: ledger.now, knowledge: knowledge)
                var words = MetricParameters()
                (words.from, words.to) = ("2026-01-01", "2026-02-01")
                let rows = try await query.metric(.ltv, words).rows
                return ["customers", "net"].map { name in
                    rows.reduce(0) { $0 + ($1.amounts[name] ?? 0) }
                }
            }
        }
        #expect(try await sums(.everything) == [1, 19_980])
        // when
        try await ledger.erase(
            chains: isAlone ? [chains[0].id] : [], customer: isAlone ? nil : customer)
        // then
        for knowledge in [AsOf.everything, .knownPosition(2)] {
            #expect(try await sums(knowledge) == [customers, 19_980])
        }
    }
}
