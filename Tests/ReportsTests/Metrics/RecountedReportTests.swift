import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Projection
import Reports
import SQLiteStore
import Simulator
import Testing

/// Figures of simulated lives against plain recounts of their truth.
@Suite("Reports against a plain recount of simulated lives")
struct RecountedReportTests {
    // MARK: Recurring money

    @Test("ARR is the annual price of all chains with paid access at the end, by currency")
    func arr() async throws {
        let world = try await RecountedWorld.copy()
        let report = try await world.query { try await $0.metric(.arr, $1) }
        var reported: [Timestamp: [String: Int64]] = [:]
        for row in report.rows {
            let amount = row.amounts["arr"] ?? 0
            if amount != 0 {
                reported[row.to, default: [:]][row.group[0] ?? "", default: 0] += amount
            }
        }
        var plain: [Timestamp: [String: Int64]] = [:]
        for end in Set(report.rows.map(\.to)) {
            for life in world.lives {
                guard let stretch = life.stretch(justBefore: end), stretch.isPaid,
                    let year = life.annualised(stretch), year > 0
                else { continue }
                plain[end, default: [:]][stretch.payload.currency ?? "", default: 0] += year
            }
        }
        #expect(reported == plain)
        #expect(plain.count > 10)
        let mrr = try await world.query { try await $0.metric(.mrr, $1) }
        #expect(mrr.rows.map { $0.amounts["annualised"] } == report.rows.map { $0.amounts["arr"] })
    }

    // MARK: Other definitions

    private struct Compared: Hashable, CustomStringConvertible {
        var from: Timestamp
        var currency: String?
        var amounts: [Int64]

        var description: String { "\(from.rfc3339) \(currency ?? "") \(amounts)" }
    }

    private func compared(
        _ world: RecountedWorld, _ metric: String, _ pack: DefinitionPack
    ) async throws -> Report {
        try await world.query { try await $0.comparison(metric, $1, pack) }
    }

    @Test("returnsNetted: returns to paid time after its loss, from whichever state")
    func returns() async throws {
        let world = try await RecountedWorld.copy()
        let report = try await compared(world, "churn", .revenuecat)
        let lives = world.lives.map(\.turns)
        let turns = lives.flatMap(\.self)
        let returns = lives.flatMap { turns in
            zip(turns, turns.dropFirst()).filter { $0.0.kind == .left }.map { $0.1.at }
        }
        #expect(report.rules.last == .returnsNetted)
        var count: Int64 = 0
        for row in report.rows {
            let inside = turns.filter { row.from <= $0.at && $0.at < row.to }
            let left = Int64(inside.count { $0.kind == .left })
            let back = Int64(returns.count { row.from <= $0 && $0 < row.to })
            #expect(row["returnsNetted"] == -back, "\(row.from.rfc3339)")
            #expect(row["returnsNetted.chains"] == back)
            #expect(row.theirs == left - back, "\(row.from.rfc3339)")
            count += back
        }
        #expect(count > 10)
    }

    @Test(
        "lastThirtyDays, perSubscriber: losses in 30 days, all chains of a customer together"
    )
    func lastDays() async throws {
        let world = try await RecountedWorld.copy(sharing: true)
        let report = try await compared(world, "churn", .stripe)
        // A subscriber is not lost while a renewal is past due.
        let lives = world.lives.map { life in
            var life = life
            life.keepsPastDue = true
            return life
        }
        let groups = Dictionary(grouping: lives, by: \.customer).values.map { Array($0) }
        var (count, different) = (0, 0)
        for row in report.rows {
            let begin = row.to.advanced(byMilliseconds: -30 * 86_400_000)
            let last = begin.advanced(byMilliseconds: -1)
            var (left, base) = (0, 0)
            for group in groups {
                let turns = RecountedLife.turns(together: group).filter {
                    begin <= $0.at && $0.at < row.to
                }
                left += turns.count { $0.kind == .left }
                base += turns.count { $0.kind == .came("") }
                if group.contains(where: { $0.stretch(at: last)?.isPaid ?? false }) { base += 1 }
            }
            #expect(row.theirs == Int64(left), "\(row.from.rfc3339)")
            #expect(row.base == Int64(base), "\(row.from.rfc3339)")
            count += left
            if row["lastThirtyDays"] != 0 { different += 1 }
        }
        #expect(count > 10 && different > 3)
        #expect(groups.contains { $0.count > 1 })
        #expect(report.rules.last == .perSubscriber)
        #expect(report.rows.contains { $0["perSubscriber"] < 0 })
    }

    @Test("refundedRemoved: a refunded subscription is removed from all of its past")
    func refunds() async throws {
        let world = try await RecountedWorld.copy()
        let report = try await compared(world, "mrr", .adapty)
        try check(report, world) { life, stretch in
            guard stretch.isPaid, let year = life.annualised(stretch) else { return nil }
            // A week is 0.23 months by the product's rule.
            let theirs =
                life.isByWeeks(stretch) ? RecountedLife.even(year * 1_200, 23 * 52) : year
            // Every period up to and including the refunded one.
            let isRemoved = life.stretches.contains {
                $0.isRefunded && $0.interval.from >= stretch.interval.from
            }
            return (year, [theirs - year, isRemoved ? -theirs : 0])
        }
    }

    @Test("pastDueIncluded: a chain in billing retry still counts with its last price")
    func pastDue() async throws {
        let world = try await RecountedWorld.copy()
        let report = try await compared(world, "mrr", .stripe)
        try check(report, world) { life, stretch in
            guard !stretch.isTrial, let year = life.annualised(stretch) else { return nil }
            if stretch.isPaid { return (year, [0]) }
            return stretch.interval.state == .billingRetry ? (0, [year]) : nil
        }
    }

    /// Every row of money against a recount at its end.
    ///
    /// - Parameter plain: a chain's contribution to ours, and to each difference; nil: none.
    private func check(
        _ report: Report, _ world: RecountedWorld,
        _ plain: (RecountedLife, RecountedLife.Stretch) -> (ours: Int64, moved: [Int64])?
    ) throws {
        var expected: Set<Compared> = []
        let ends = Dictionary(report.rows.map { ($0.to, $0.from) }) { first, _ in first }
        var moved: [Int64] = []
        for (end, from) in ends {
            var sums: [String?: [Int64]] = [:]
            for life in world.lives {
                guard let stretch = life.stretch(justBefore: end),
                    let found = plain(life, stretch)
                else { continue }
                let amounts = [found.ours] + found.moved
                let known = sums[stretch.payload.currency] ?? amounts.map { _ in 0 }
                sums[stretch.payload.currency] = zip(known, amounts).map { $0 + $1 }
            }
            for (currency, amounts) in sums {
                expected.insert(Compared(from: from, currency: currency, amounts: amounts))
                moved =
                    moved.isEmpty
                    ? amounts.map(\.magnitude).map { Int64($0) }
                    : zip(moved, amounts).map { $0 + Int64($1.magnitude) }
            }
        }
        let reported = Set(
            report.rows.map { row in
                Compared(
                    from: row.from, currency: row.currency,
                    amounts: [row.ours] + report.differences(row))
            })
        func meant(_ rows: Set<Compared>) -> Set<Compared> {
            rows.filter { row in row.amounts.contains { $0 != 0 } }
        }
        #expect(
            meant(reported) == meant(expected),
            "\(meant(reported).symmetricDifference(meant(expected)).map(\.description).sorted())")
        #expect(try #require(moved.last) > 0)
    }

    // MARK: Deliveries

    @Test("Lateness: number, late ones, and the smallest delay within each percentage")
    func lateness() async throws {
        let world = try await RecountedWorld.copy()
        let report = try await world.query { try await $0.metric(.lateness, $1) }
        var first: [NotificationUUID: (signed: Timestamp, delay: Int64)] = [:]
        for delivery in world.lives.flatMap(\.life.deliveries) {
            guard case .notification(let payload, _, _) = delivery.evidence,
                let uuid = payload.notificationUUID, let signed = delivery.signedDate
            else { continue }
            let delay = max(0, delivery.receivedAt.milliseconds(since: signed))
            first[uuid] = (signed, min(first[uuid]?.delay ?? .max, delay))
        }
        var sum = 0
        for row in report.rows {
            let delays = first.values.filter { row.from <= $0.signed && $0.signed < row.to }
                .map(\.delay)
            sum += delays.count
            #expect(row.amounts["notifications"] ?? 0 == Int64(delays.count))
            #expect(row.amounts["late"] ?? 0 == Int64(delays.count { $0 > 600_000 }))
            guard !delays.isEmpty else { continue }
            #expect(row.amounts["longest"] == delays.max())
            for percent in [50, 90, 99] {
                // This many are no later, and a smaller delay would have too few.
                let reported = try #require(row.amounts["p\(percent)"])
                #expect(delays.contains(reported))
                #expect(delays.count { $0 <= reported } * 100 >= percent * delays.count)
                #expect(delays.count { $0 < reported } * 100 < percent * delays.count)
            }
        }
        #expect(sum > 500)
    }

    // MARK: Customers

    /// Payments and refunds of one customer.
    private struct Account {
        var first: Timestamp?
        /// The chain of the first payment began before anything known about it.
        var isAdopted = false
        var payments: [(at: Timestamp, currency: String, amount: Int64)] = []
    }

    @Test(
        "LTV: a customer's payments by each age, less refunds, by the quarter of the first purchase"
    )
    func lifetime() async throws {
        let world = try await RecountedWorld.copy()
        let report = try await world.query { try await $0.metric(.ltv, $1) }
        let accounts = try await accounts(world)
        var count: Int64 = 0
        for row in report.rows {
            let currency = row.group[0] ?? ""
            let cohort = accounts.filter { account in
                guard let first = account.first, row.from <= first, first < row.to else {
                    return false
                }
                return account.payments.contains { $0.currency == currency }
            }
            #expect(row.amounts["customers"] == Int64(cohort.count))
            count += Int64(cohort.count)
            func net(_ account: Account, before end: Timestamp) -> Int64 {
                var sum: Int64 = 0
                for payment in account.payments
                where payment.currency == currency && payment.at < end {
                    sum += payment.amount
                }
                return sum
            }
            #expect(row.amounts["net"] == cohort.map { net($0, before: .distant) }.reduce(0, +))
            for age in [7, 30, 60, 90, 180, 365, 730] as [Int64] {
                let old = cohort.filter { age * 86_400_000 <= world.age($0.first) }
                let sum = old.map { account in
                    net(
                        account,
                        before: (account.first ?? .distant).advanced(
                            byMilliseconds: age * 86_400_000))
                }.reduce(0, +)
                #expect(row.amounts["age.\(age).customers"] ?? 0 == Int64(old.count))
                #expect(row.amounts["age.\(age).net"] ?? 0 == sum)
                guard !old.isEmpty, sum >= 0 else { continue }
                #expect(
                    row.amounts["age.\(age).perCustomer"]
                        == RecountedLife.even(sum, Int64(old.count)))
            }
        }
        #expect(count > 50)
    }

    /// `Metrics.md`: whether the first stated period is a later one than the original purchase.
    private func isAdopted(_ life: RecountedLife) -> Bool {
        let stated = life.life.deliveries.compactMap(\.transaction).min {
            ($0.purchaseDate ?? .distant) < ($1.purchaseDate ?? .distant)
        }
        guard let first = stated,
            let bought = first.purchaseDate, let begun = first.originalPurchaseDate,
            first.transactionId?.rawValue != first.originalTransactionId?.rawValue
        else { return false }
        return first.transactionReason == Raw(.renewal)
            || bought.milliseconds(since: begun) > 60_000
    }

    /// Of every customer, by the last stated token; a chain's revenue is recounted with the
    /// revenue metric.
    private func accounts(_ world: RecountedWorld) async throws -> [Account] {
        var accounts: [String: Account] = [:]
        let limit = world.ledger.now
        try await world.ledger.session { session in
            for life in world.lives {
                let chain = ChainId(
                    bundleId: BundleId(MadeChain.app),
                    originalTransactionId: life.life.originalTransactionId)
                guard let facts = try await session.ledger.facts.facts(of: [chain]).first?.1 else {
                    continue
                }
                let token = life.life.deliveries.filter {
                    $0.transaction?.appAccountToken != nil
                }.max { ($0.signedDate ?? limit) < ($1.signedDate ?? limit) }?
                .transaction?.appAccountToken
                let catalogue = world.ledger.configuration.catalogue
                let folded = Lifecycle(facts, environment: .production, catalogue: catalogue)
                let revenue = folded.occurrences(
                    of: .revenue, in: chain.bundleId, catalogue: catalogue, limit: limit,
                    instants: [])
                let name = token?.lowercased() ?? "chain \(chain.originalTransactionId)"
                for found in revenue {
                    let (gross, refunded, reversed) = (
                        found.amounts["gross"] ?? 0, found.amounts["refunded"] ?? 0,
                        found.amounts["reversed"] ?? 0
                    )
                    var account = accounts[name] ?? Account()
                    if gross > 0, account.first.map({ found.at < $0 }) ?? true {
                        account.first = found.at
                        account.isAdopted = isAdopted(life)
                    }
                    for amount in [gross, -refunded, reversed] where amount != 0 {
                        account.payments.append(
                            (found.at, found.values.currency ?? "", amount))
                    }
                    accounts[name] = account
                }
            }
        }
        return accounts.values.filter { !$0.isAdopted }
    }
}

extension Timestamp {
    /// After all events.
    fileprivate static let distant = Timestamp(milliseconds: 4_102_444_800_000)
}

extension RecountedWorld {
    /// The present age of a customer in milliseconds.
    fileprivate func age(_ first: Timestamp?) -> Int64 {
        first.map { ledger.now.milliseconds(since: $0) } ?? -1
    }
}
