import Intake
import Ledger
import LedgerTestSupport
import Queries
import Simulator
import Testing

@testable import AppStore
@testable import Reports

/// `Erasure.md`: of a life that Apple states again after an erasure, metrics count only what no
/// erasure recorded.
@Suite("Lives that are stated again after an erasure")
struct RestatedLifeTests {
    private let chain = MadeChain(id: "710000000000001")

    private func asTrial(_ payload: inout TransactionPayload) {
        payload.price = 0
        payload.offerType = Raw(.introductoryOffer)
        payload.offerDiscountType = Raw(.freeTrial)
    }

    /// A trial, a renewal, and a recovery out of billing retry.
    private var life: [MadeDelivery] {
        let failed = chain.notification(
            .didFailToRenew, nil, 1, at: chain.start(2), status: .billingRetry)
        let recovered = chain.notification(
            .didRenew, .billingRecovery, 3, at: chain.start(3).advanced(byMilliseconds: 1_000))
        return [
            chain.bought().withTransaction { asTrial(&$0) }, chain.renewed(1), failed, recovered,
        ]
    }

    /// The same transactions, signed again.
    private func restated(_ periods: [Int]) -> [MadeDelivery] {
        periods.map { period in
            let signed = chain.start(4)
            var payload = chain.transaction(period, signed: signed)
            if period == 0 { asTrial(&payload) }
            return MadeDelivery(receivedAt: signed, evidence: .transaction(payload))
        }
    }

    /// Every comparison that is documented, by product and metric.
    private func compared(_ ledger: TemporaryLedger) async throws -> [String: [Report.Row]] {
        try await ledger.metrics { query in
            var words = MetricParameters()
            (words.from, words.to) = ("2026-01-01", "2026-09-01")
            var found: [String: [Report.Row]] = [:]
            let metrics = [MetricName.churnName] + MetricName.allCases.map(\.rawValue)
            for pack in DefinitionPack.allCases {
                for metric in metrics where pack.rules(metric) != nil {
                    found["\(pack) \(metric)"] = try await query.comparison(metric, words, pack)
                        .rows
                }
            }
            return found
        }
    }

    /// Our number of every figure on the first day of each period.
    private func explained(_ ledger: TemporaryLedger) async throws -> [String: Int64] {
        var table = SalesReportTable()
        let days = [
            CivilDate(year: 2026, month: 1, day: 10), CivilDate(year: 2026, month: 2, day: 9),
            CivilDate(year: 2026, month: 4, day: 10),
        ]
        for kind in SalesReport.Kind.allCases {
            for figure in SalesReport.Figure.all(of: kind) {
                for day in days {
                    table.add(
                        SalesReport.Row(
                            kind: kind, figure: figure, day: day, appleId: "1",
                            name: MadeChain.product, country: "USA", amount: 1))
                }
            }
            table.endReport()
        }
        return try await ledger.metrics { [table] query in
            let answer = try await query.explain(table)
            return answer.cells.reduce(into: [:]) { sums, found in
                let cell = found.cell
                sums["\(cell.kind) \(cell.figure) \(cell.day.text)", default: 0] += found.ours
            }
        }
    }

    /// Facts of the warehouse, summed over chains.
    private func facts(_ ledger: TemporaryLedger) async throws -> [String: Int64] {
        try await ledger.session { session in
            let export = try #require(
                WarehouseExport(snapshot: session.snapshot, reportTimeZone: "UTC"))
            var bytes: [UInt8] = []
            try await export.run(.facts, format: .ndjson) { bytes += $0 }
            return try bytes.split(separator: UInt8(ascii: "\n")).reduce(into: [:]) { sums, text in
                let line = try JSONValue.parse(Array(text))
                sums[line["fact"]?.string ?? "", default: 0] += line["sign"]?.int64 ?? 0
            }
        }
    }

    @Test("Comparisons, explanations and exports count them once")
    func once() async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(life)
        let comparisons = try await compared(ledger)
        let explanations = try await explained(ledger)
        #expect(comparisons.values.contains { rows in rows.contains { $0["theirs"] != 0 } })
        #expect(explanations["subscriber freePeriods 2026-01-10"] == 1)
        let facts = try await facts(ledger)
        #expect(facts["renewed"] ?? 0 > 0)
        try await ledger.erase(chains: [chain.id])
        #expect(try await compared(ledger) == comparisons)
        #expect(try await explained(ledger) == explanations)
        #expect(try await ledger.ingest(restated([0, 1, 3])).appended == 3)
        #expect(try await compared(ledger) == comparisons)
        #expect(try await explained(ledger) == explanations)
        #expect(try await self.facts(ledger) == facts)
    }

    // MARK: What an erasure recorded

    private let hour: Int64 = 3_600_000

    /// The metrics of payments, which do not depend on what follows a period.
    private static let payments: [MetricName] = [.counted(.revenue), .counted(.renewals)]
    /// Every metric except that of deliveries.
    private static let all: [MetricName] =
        MetricName.allCases.filter { $0 != .lateness }
        + [.churn(isPaid: false), .churn(isPaid: true)]

    private func figures(
        _ ledger: TemporaryLedger, of names: [MetricName] = RestatedLifeTests.all,
        knowledge: AsOf = .everything
    ) async throws -> [String: [Report.Row]] {
        try await ledger.metrics(knowledge: knowledge, now: TemporaryLedger.end) { query in
            var found: [String: [Report.Row]] = [:]
            for name in names {
                found["\(name)"] = try await query.metric(name, .made()).rows
            }
            return found
        }
    }

    /// The payments of a ledger with the same deliveries and no erasure.
    private func payments(
        _ deliveries: [MadeDelivery], apps: [String] = [MadeChain.app]
    ) async throws -> [String: [Report.Row]] {
        let ledger = try TemporaryLedger(apps: apps)
        _ = try await ledger.ingest(deliveries)
        return try await figures(ledger, of: RestatedLifeTests.payments)
    }

    @Test("A renewal that was signed early, and erased before its period began, counts once")
    func early() async throws {
        let signed = chain.notification(.didRenew, nil, 1, at: chain.start(1, -10 * hour))
        var ledger = try TemporaryLedger()
        ledger.now = chain.start(1, -5 * hour)
        _ = try await ledger.ingest([chain.bought(), signed])
        let before = try await figures(ledger)
        try await ledger.erase(chains: [chain.id])
        #expect(try await figures(ledger) == before)
        ledger.now = TemporaryLedger.end
        #expect(try await ledger.ingest([chain.turnedOff(1)]).appended == 1)
        #expect(try await figures(ledger) == before)
        let control = try await payments([chain.bought(), signed, chain.turnedOff(1)])
        #expect(try await figures(ledger, of: RestatedLifeTests.payments) == control)
        #expect(try await ledger.isSound())
    }

    @Test("A period that began before the erasure and arrives later counts, and is erased, once")
    func late() async throws {
        // Without its end, it is no period: the erasure records it, and metrics do not count it.
        let cut = chain.notification(.didRenew, nil, 1, at: chain.start(1, 4_000))
            .withTransaction { $0.expiresDate = nil }
        var ledger = try TemporaryLedger()
        ledger.now = chain.start(1, 24 * hour)
        #expect(try await ledger.ingest([chain.bought(), cut]).appended == 2)
        let before = try await figures(ledger)
        try await ledger.erase(chains: [chain.id])
        ledger.now = TemporaryLedger.end
        let more = [chain.renewed(1), chain.turnedOff(1)]
        #expect(try await ledger.ingest(more).appended == 2)
        let control = try await payments([chain.bought(), cut] + more)
        #expect(try await figures(ledger, of: RestatedLifeTests.payments) == control)
        let after = try await figures(ledger)
        #expect(after != before)
        // Both erasures count: each records one of the periods.
        try await ledger.erase(chains: [chain.id])
        #expect(try await figures(ledger) == after)
        #expect(try await ledger.ingest(restated([0, 1])).appended == 2)
        #expect(try await figures(ledger) == after)
        #expect(try await figures(ledger, knowledge: .knownPosition(2)) == before)
        #expect(try await ledger.isSound())
    }

    @Test("Of a customer's chains, a purchase of the same time in another app counts")
    func apps() async throws {
        let token = "0ab11111-2222-4333-8444-555555555555"
        let one = MadeChain(appAccountToken: token)
        let two = MadeChain(
            id: "710000000000002", start: one.start(0, hour), appAccountToken: token)
        let other = MadeChain(
            id: "710000000000003", bundleId: "com.example.other", appAccountToken: token)
        let known = [one.bought(), one.renewed(1), two.bought(), other.bought()]
        let more = [one.turnedOff(1), two.renewed(1), two.turnedOff(1), other.renewed(1)]
        let apps = [MadeChain.app, other.bundleId]
        var ledger = try TemporaryLedger(apps: apps)
        ledger.now = one.start(1, 24 * hour)
        _ = try await ledger.ingest(known)
        let receipt = try await ledger.erase(customer: token)
        #expect(receipt.plan?.chains.count == 3)
        ledger.now = TemporaryLedger.end
        #expect(try await ledger.ingest(more).appended == 4)
        let control = try await payments(known + more, apps: apps)
        #expect(try await figures(ledger, of: RestatedLifeTests.payments) == control)
        #expect(try await ledger.isSound())
    }

    @Test("A receipt, which has whole seconds, states an erased purchase again, not another one")
    func seconds() async throws {
        let exact = MadeChain(id: chain.id, start: chain.start(0, 345))
        let ledger = try StoredReceipts.place()
        _ = try await ledger.ingest([exact.bought(), exact.renewed(1)])
        let before = try await figures(ledger)
        try await ledger.erase(chains: [chain.id])
        let receipt = chain.verifyReceipt(through: 1, at: chain.start(2))
        #expect(try await ledger.ingest([receipt]).appended == 1)
        #expect(try await figures(ledger) == before)
    }
}
