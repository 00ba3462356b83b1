import AppStore
import Ledger
import LedgerTestSupport
import Projection
import Queries
import TestSupport
import Testing

@testable import Reports

/// The sums kept from moment to moment, compared with a state counted anew at each.
@Suite("The chains of a subscriber together")
struct SubscriberMoneyTests {
    private static func time(_ number: Int) -> Timestamp {
        Timestamp(milliseconds: Int64(number))
    }

    /// Few moments, so that many spans begin or end at the same one.
    private static func span(_ numbers: inout SeededNumbers) -> MoneySpan {
        MoneySpan(
            from: time(numbers.below(12)),
            to: numbers.chance(80) ? time(numbers.below(16)) : nil,
            isTrial: numbers.chance(25), currency: numbers.pick(["EUR", "USD", nil]),
            year: numbers.pick(years))
    }

    private static let years: [Int64?] = [nil, 0, -3, 5, 5, 7, Int64.max - 1, Int64.max]

    private static func subscriber(_ numbers: inout SeededNumbers) -> SubscriberMoney {
        SubscriberMoney(
            spans: (0...numbers.below(5)).map { _ in span(&numbers) },
            isAdopted: numbers.chance(30))
    }

    private static func group(_ numbers: inout SeededNumbers) -> Subscribers.Group {
        let parts = (0...numbers.below(4)).map { _ in subscriber(&numbers) }
        return Subscribers.Group(
            whole: SubscriberMoney(
                spans: parts.flatMap(\.spans), isAdopted: parts[0].isAdopted),
            parts: parts)
    }

    @Test("Every change of the amount is that between two counted states")
    func changes() {
        for seed in 1...400 as ClosedRange<UInt64> {
            var numbers = SeededNumbers(seed: seed)
            let subscriber = Self.subscriber(&numbers)
            let (found, plain) = (subscriber.changes, subscriber.plainChanges)
            #expect(found.count == plain.count && Set(found) == Set(plain), "seed \(seed)")
            #expect(found.map(\.at) == plain.map(\.at), "seed \(seed)")
        }
    }

    @Test("Losses, bases and doubled chains are those of counted states")
    func turns() throws {
        for seed in 1...200 as ClosedRange<UInt64> { try turns(seed) }
    }

    private func turns(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let groups = (0..<3).map { _ in Self.group(&numbers) }
        let turns = try SubscriberTurns(groups)
        for begin in stride(from: -1, through: 17, by: 2) {
            let doubled = groups.reduce(0) { sum, group in
                sum + max(0, group.parts.count { $0.isPaid(justBefore: Self.time(begin)) } - 1)
            }
            #expect(turns.doubled(justBefore: Self.time(begin)) == Int64(doubled))
            for end in [begin + 1, begin + 4, 18] where begin < end {
                let (from, to) = (Self.time(begin), Self.time(end))
                let found = turns.corrections(from: from, to: to)
                var (lost, base) = (0, 0)
                for group in groups {
                    let whole = group.whole.plainCounts(from, to)
                    let parts = group.parts.map { $0.plainCounts(from, to) }
                    lost += whole.lost - parts.reduce(0) { $0 + $1.lost }
                    base += whole.base - parts.reduce(0) { $0 + $1.base }
                }
                #expect(found.lost == Int64(lost) && found.base == Int64(base))
            }
        }
    }

    @Test(
        "A comparison whose task is cancelled ends at the next subscriber",
        arguments: ["active", "churn", "mrr-movement"])
    func cancelled(_ metric: String) async throws {
        var (one, two) = (MadeChain(id: "680000000000014"), MadeChain(id: "680000000000015"))
        let token = "7b3f2f0e-1d7c-4f5e-9a53-0c8f4a6b9d21"
        (one.appAccountToken, two.appAccountToken) = (token, token)
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([one.bought(), two.bought()])
        let rules = try #require(DefinitionPack.stripe.rules(metric))
        let sums = try await ledger.metrics { query in
            let scope = try MetricParameters.made().scope(
                query.reportTimeZone, limit: query.limit)
            let empty = ComparedSums(
                metric, .stripe, rules, instants: scope.instants, filters: scope.filters,
                isByReason: false)
            let (catalogue, limit) = (query.snapshot.ledger.catalogue, query.limit)
            return try await query.sumLives(empty) { sums, chain, life in
                sums.add(life, chain, catalogue, limit)
            }
        }
        #expect(try !sums.rows().isEmpty)
        let outcome = await withThrowingTaskGroup(of: [Report.Row].self) { group in
            group.cancelAll()
            group.addTask { try sums.rows() }
            return await group.nextResult()
        }
        #expect(throws: MetricsError.stopped) { try outcome?.get() }
    }
}

/// The state of each moment counted anew from all spans.
extension SubscriberMoney {
    private func running(at time: Timestamp) -> [MoneySpan] {
        spans.filter { span in span.from <= time && (span.to.map { time < $0 } ?? true) }
    }

    private var moments: [Timestamp] {
        Set(spans.flatMap { [$0.from, $0.to].compactMap(\.self) }).sorted()
    }

    fileprivate func isPaid(justBefore time: Timestamp) -> Bool {
        running(at: time.advanced(byMilliseconds: -1)).contains { !$0.isTrial }
    }

    /// The losses, and the base of their rate, from a time until before another.
    fileprivate func plainCounts(_ from: Timestamp, _ to: Timestamp) -> (lost: Int, base: Int) {
        var (lost, base) = (0, isPaid(justBefore: from) ? 1 : 0)
        var wasPaid = false
        for moment in moments {
            let isPaid = running(at: moment).contains { !$0.isTrial }
            if from <= moment, moment < to {
                if wasPaid, !isPaid { lost += 1 }
                if !wasPaid, isPaid { base += 1 }
            }
            wasPaid = isPaid
        }
        return (lost, base)
    }

    /// Amounts other than 0, by currency.
    private func money(at time: Timestamp) -> [String?: Int64] {
        var sums: [String?: Int64] = [:]
        for span in running(at: time) where !span.isTrial {
            guard let year = span.year, year > 0 else { continue }
            sums[span.currency] = (sums[span.currency] ?? 0).addingSaturated(year)
        }
        return sums
    }

    private func gains(isBefore: Bool, _ hasPaid: Bool) -> [String] {
        if isBefore { return ["expansion"] }
        if hasPaid { return ["reactivated"] }
        return isAdopted ? [] : ["new"]
    }

    fileprivate var plainChanges: [Change] {
        var changes: [Change] = []
        var before: [String?: Int64] = [:]
        var hasPaid = false
        for moment in moments {
            let after = money(at: moment)
            let currencies = Set(before.keys).union(after.keys)
            let isMoved =
                currencies.contains { before[$0] != nil && after[$0] == nil }
                && currencies.contains { before[$0] == nil && after[$0] != nil }
            for currency in currencies where before[currency] != after[currency] {
                if isMoved, before[currency] == nil || after[currency] == nil { continue }
                let (old, new) = (before[currency] ?? 0, after[currency] ?? 0)
                let figures =
                    new < old
                    ? [after.isEmpty ? "churned" : "contraction", "churnedRevenue"]
                    : gains(isBefore: !before.isEmpty, hasPaid)
                changes += figures.map {
                    Change(at: moment, currency: currency, figure: $0, amount: abs(new - old))
                }
            }
            if !after.isEmpty { hasPaid = true }
            before = after
        }
        return changes
    }
}
