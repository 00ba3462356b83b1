import Intake
import Ledger
import LedgerTestSupport
import Queries
import Simulator
import Testing

@testable import AppStore
@testable import Reports

/// `Erasure.md`: of a life that Apple states again after an erasure, metrics count only periods
/// that begin later.
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
    private var restated: [MadeDelivery] {
        [0, 1, 3].map { period in
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
            let export = try #require(WarehouseExport(query: session.query, reportTimeZone: "UTC"))
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
        #expect(try await ledger.ingest(restated).appended == 3)
        #expect(try await compared(ledger) == comparisons)
        #expect(try await explained(ledger) == explanations)
        #expect(try await self.facts(ledger) == facts)
    }
}
