import AppStore
import Ledger
import LedgerTestSupport
import Queries
import Reports
import Simulator
import TestSupport
import Testing

extension MetricReportTests {
    private static func chain(_ id: Int, days: Int64 = 0, _ product: String) -> MadeChain {
        MadeChain(
            id: "60000000000010\(id)", product: product,
            start: MadeChain().start.advanced(byMilliseconds: days * 86_400_000))
    }

    /// Three trials of January, as of 28 February: converted, ended, and running.
    private static var trials: [MadeDelivery] {
        let chains = [0, 0, 21].enumerated().map { chain($0, days: $1, "trial") }
        let tried = chains.map { $0.bought() } + [chains[1].turnedOff(0), chains[1].expired(0)]
        return tried.map(\.asTrial) + [chains[0].renewed(1)]
    }

    /// Two renewals of January that failed with grace: one paid two days later, one given up.
    private static var failures: [MadeDelivery] {
        let (paid, lost) = (chain(3, days: -21, "grace"), chain(4, days: -21, "grace"))
        func failed(_ chain: MadeChain) -> MadeDelivery {
            var failed = chain.notification(
                .didFailToRenew, .gracePeriod, 0, at: chain.start(1), status: .billingGracePeriod)
            if case .notification(let payload, let transaction, var renewal?) = failed.evidence {
                renewal.gracePeriodExpiresDate = chain.start(1).advanced(
                    byMilliseconds: 10 * 86_400_000)
                failed.evidence = .notification(payload, transaction, renewal)
            }
            return failed
        }
        let late = paid.start(1).advanced(byMilliseconds: 2 * 86_400_000)
        let recovery = paid.notification(.didRenew, .billingRecovery, 1, at: late)
            .withTransaction { $0.purchaseDate = late }
        let end = lost.start(1).advanced(byMilliseconds: 4 * 86_400_000)
        let over = lost.notification(.expired, .billingRetry, 0, at: end, status: .expired)
        return [paid.bought(), lost.bought(), failed(paid), failed(lost), recovery, over]
    }

    /// Two purchases of January, one of them refunded.
    private static var purchases: [MadeDelivery] {
        let (kept, returned) = (chain(5, "refund"), chain(6, "refund"))
        let refunded = returned.start.advanced(byMilliseconds: 5 * 86_400_000)
        let refund = returned.notification(.refund, nil, 0, at: refunded, status: .revoked)
            .withTransaction { $0.revocationDate = refunded }
        return [kept.bought(), returned.bought(), refund]
    }

    /// Of three customers of January one renewed, one could have, and one could not yet.
    private static var customers: [MadeDelivery] {
        let chains = [0, 0, 21].enumerated().map { chain($0 + 7, days: $1, MadeChain.product) }
        return chains.map { $0.bought() }
            + [chains[0].renewed(1), chains[1].turnedOff(0), chains[1].expired(0)]
    }

    private static let rated = SharedLedger { ledger in
        // 2026-02-28.
        ledger.now = Timestamp(milliseconds: 1_772_236_800_000)
        _ = try await ledger.ingest(trials + failures + purchases + customers)
    }

    @Test(
        "Rates are of the stated whole, and null where that is 0, in JSON and in the table",
        arguments: [
            ("trials", "trial", "conversion", nil),
            ("recoveries", "grace", "grace.recovered", "billingRetry.recovered"),
            ("recoveries", "grace", "grace.within3", "billingRetry.within3"),
            ("refunds-by-purchase", "refund", "refundRate", nil),
            ("retention", MadeChain.product, "step.2", "step.3"),
        ] as [(String, String, String, String?)])
    func rates(_ name: String, _ product: String, _ half: String, _ none: String?) async throws {
        // given
        let ledger = try await Self.rated.copy()
        var words = MetricParameters()
        (words.from, words.to) = ("2026-01-01", "2026-02-01")
        words.filters = ["product=\(product)"]
        // when
        let report = try await ledger.metrics { [words] query in
            try await query.metric(try MetricName(name), words)
        }
        let rows = try TemporaryLedger.json { report.write(to: &$0) }["rows"]?.array
        let table = CommaSeparated.rows(String(decoding: report.csv(), as: UTF8.self))
        // then
        #expect(rows?.count == 1 && table.count == 2)
        let rates = rows?.first?["rates"]
        for (rate, number) in [(half, "0.5"), (none, nil)] as [(String?, String?)] {
            guard let rate else { continue }
            let stated: JSONValue? = number.map { .number($0) } ?? .null
            #expect(rates?[rate] == stated, "\(rate)")
            let column = try #require(table[0].firstIndex(of: "rate.\(rate)"))
            #expect(table[1][column] == number ?? "", "\(rate)")
        }
    }
}
