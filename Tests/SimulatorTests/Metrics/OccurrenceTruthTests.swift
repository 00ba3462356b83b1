import AppStore
import Ledger
import Simulator
import Testing

/// Counted metrics over simulated worlds compared with what was sent and what happened.
@Suite("Occurrences over simulated worlds")
struct OccurrenceTruthTests {
    private static let lives = TruthTests.ledgers

    private static let limit = Timestamp(milliseconds: .max)

    private static func sums(
        _ metric: CountedMetric, _ ledger: Lifecycle
    ) -> [String: Int64] {
        ledger.occurrences(
            of: metric, in: TruthTests.world.bundleId, catalogue: .simulated,
            limit: limit, instants: []
        ).reduce(into: [:]) { sums, found in
            sums.merge(found.amounts.filter { $0.value != 0 }, uniquingKeysWith: +)
        }
    }

    /// The last statement of every transaction of a life.
    private static func transactions(_ life: SubscriberLife) -> [TransactionPayload] {
        var newest: [TransactionId: TransactionPayload] = [:]
        for delivery in life.deliveries {
            guard let transaction = delivery.transaction, let id = transaction.transactionId else {
                continue
            }
            newest[id] = transaction
        }
        return newest.sorted { $0.key < $1.key }.map(\.value)
    }

    private static func isFamily(_ life: SubscriberLife) -> Bool {
        transactions(life).contains { $0.inAppOwnershipType?.value == .familyShared }
    }

    @Test("Gross is the price of every period and purchase sold, each once")
    func gross() {
        var sold: Int64 = 0
        for (life, ledger) in Self.lives {
            guard !Self.isFamily(life) else {
                #expect(Self.sums(.revenue, ledger).isEmpty)
                continue
            }
            var prices: [String: Int64] = [:]
            for transaction in Self.transactions(life) {
                // A restored copy has the line item of the original, and its time.
                let id = transaction.webOrderLineItemId?.rawValue ?? "0"
                let start = transaction.expiresDate?.milliseconds ?? 0
                let item =
                    id == "0"
                    ? transaction.transactionId?.rawValue ?? "" : "\(id) \(start)"
                prices[item] = transaction.price ?? 0
            }
            let isOneTime = ledger.isOneTime
            let expected = isOneTime ? prices.values.max() ?? 0 : prices.values.reduce(0, +)
            #expect(
                Self.sums(.revenue, ledger)["gross"] ?? 0 == expected, "seed \(life.seed)")
            sold += expected
        }
        #expect(sold > 0)
    }

    @Test("Entries into grace and retry, and their outcomes, are the true ones")
    func recoveries() {
        var entries = 0
        for (life, ledger) in Self.lives where !Self.isFamily(life) {
            var expected: [String: Int64] = [:]
            for (index, interval) in life.truth.enumerated() {
                let kind = interval.state.rawValue
                guard interval.state == .grace || interval.state == .billingRetry,
                    index == 0 || life.truth[index - 1].state != interval.state
                else { continue }
                entries += 1
                expected["\(kind).entered", default: 0] += 1
                let next = life.truth[(index + 1)...].first { $0.state != interval.state }
                guard let next else {
                    expected["\(kind).open", default: 0] += 1
                    continue
                }
                if next.state == .subscribed || next.state == .renewing {
                    expected["\(kind).recovered", default: 0] += 1
                }
            }
            let reported = Self.sums(.recoveries, ledger).filter { !$0.key.contains("within") }
            #expect(reported == expected, "seed \(life.seed)")
        }
        #expect(entries > 20)
    }

    @Test("Returns after expiry or a refund are the true ones")
    func reactivations() {
        var count: Int64 = 0
        for (life, ledger) in Self.lives where !Self.isFamily(life) && !ledger.isOneTime {
            var expected: Int64 = 0
            for (before, after) in zip(life.truth, life.truth.dropFirst())
            where after.state.isEntitled && !before.state.isEntitled {
                let wasEver = life.truth.contains { $0.from < after.from && $0.state.isEntitled }
                let isSame = before.transactionId == after.transactionId
                guard wasEver, before.state == .expired || (before.state == .revoked && !isSame)
                else { continue }
                expected += 1
            }
            #expect(
                Self.sums(.reactivations, ledger)["reactivated"] ?? 0 == expected,
                "seed \(life.seed)")
            count += expected
        }
        #expect(count > 20)
    }

    @Test("Paid renewals are those Apple stated to be renewals")
    func renewals() {
        var count: Int64 = 0
        for (life, ledger) in Self.lives where !Self.isFamily(life) && !ledger.isOneTime {
            let stated = Self.transactions(life).filter { $0.transactionReason != nil }
            guard !stated.isEmpty, stated.count == Self.transactions(life).count else { continue }
            var items: Set<String> = []
            for transaction in stated
            where transaction.transactionReason?.value == .renewal && transaction.price ?? 0 > 0 {
                let line = transaction.webOrderLineItemId?.rawValue ?? "0"
                let end = transaction.expiresDate?.milliseconds ?? 0
                items.insert(
                    line == "0" ? transaction.transactionId?.rawValue ?? "" : "\(line) \(end)")
            }
            let reported = Self.sums(.renewals, ledger)["renewals"] ?? 0
            #expect(reported == Int64(items.count), "seed \(life.seed)")
            count += reported
        }
        #expect(count > 100)
    }

    @Test("Starts are one for each chain that counts and is known from its beginning")
    func starts() {
        for (life, ledger) in Self.lives where !ledger.isOneTime && !ledger.isEmpty {
            let isKnown = !ledger.notices.contains { $0.code == .historyMissingBefore }
            let expected: Int64? = isKnown && !Self.isFamily(life) ? 1 : nil
            #expect(Self.sums(.starts, ledger)["starts"] == expected, "seed \(life.seed)")
        }
    }

    @Test("The active count at the end of an interval is that of the roll-forward")
    func active() {
        let instants = (1...50).map {
            Timestamp(milliseconds: 1_640_995_200_000 + Int64($0) * 30 * 86_400_000)
        }
        for measure in [RollForwardQuery.Measure.chains, .paidChains] {
            var sum = RollForward(RollForwardQuery(measure, instants: instants))
            var table = CountTable(.active, instants: instants)
            for (_, ledger) in Self.lives {
                sum.add(
                    ChainMetrics(
                        ledger, of: TruthTests.world.bundleId, catalogue: .simulated))
                table.add(
                    ledger.occurrences(
                        of: .active, in: TruthTests.world.bundleId,
                        catalogue: .simulated, limit: Self.limit, instants: instants))
            }
            let column = measure == .chains ? "active" : "activePaid"
            #expect(table.rows().map { $0[column] } == sum.rows().map { $0.activeEnd })
            #expect(table.rows().contains { $0["setToCancel"] > 0 })
        }
    }
}
