import AppStore
import Ledger

/// An independent count of every metric, written from its definition: one life at a time, each
/// query answered from the beginning.
struct PlainCounts {
    let plain: PlainLife
    let catalogue: Catalogue
    /// The earlier of now and knownAt.
    let limit: Timestamp

    struct Count {
        var at: Timestamp
        var sale: Int
        var amounts: [String: Int64]
    }

    static let day: Int64 = 86_400_000

    func counts(_ metric: CountedMetric, instants: [Timestamp]) -> [Count] {
        let found: [Count] =
            switch metric {
            case .active: active(instants)
            case .starts: starts
            case .trials: trials
            case .renewals: renewals
            case .reactivations: reactivations
            case .recoveries: recoveries
            case .autoRenew: autoRenew
            case .productChanges: productChanges
            case .refunds: refunds
            case .refundsByPurchase: refundsByPurchase
            case .revenue: revenue
            case .proceeds: proceeds
            case .retention: retention
            }
        return found.filter { count in
            count.at < limit && plain.sales[count.sale].isOwn
        }
    }

    var sales: [PlainLife.Sale] { plain.sales }
    /// Periods of a subscription; nothing else has any.
    private var periods: [Int] { plain.life.isOneTime ? [] : Array(sales.indices) }
    /// Those that began.
    private var begun: [Int] { periods.filter { !sales[$0].isReplaced } }

    // MARK: Chains

    private func active(_ instants: [Timestamp]) -> [Count] {
        instants.dropFirst().compactMap { end in
            guard !plain.life.isOneTime, let state = plain.state(before: end), state.isEntitled
            else { return nil }
            let last = end.advanced(byMilliseconds: -1)
            return Count(
                at: last, sale: state.sale,
                amounts: [
                    "active": 1, "activePaid": sales[state.sale].isTrial ? 0 : 1,
                    "setToCancel": isSetToCancel(state.sale, at: last) ? 1 : 0,
                ])
        }
    }

    private var starts: [Count] {
        guard !plain.isAdopted, let first = periods.first else { return [] }
        let kind = sales[first].isTrial ? "trialStarts" : "paidStarts"
        return [Count(at: sales[first].start, sale: first, amounts: ["starts": 1, kind: 1])]
    }

    private var trials: [Count] {
        begun.filter { sales[$0].isTrial }.map { trial in
            var amounts: [String: Int64] = ["trials": 1]
            if let state = plain.state(at: limit), state.sale == trial,
                state.isEntitled || state.name == "billingRetry"
            {
                amounts["pending"] = 1
            } else {
                amounts["ended"] = 1
                if let next = begun.first(where: { $0 > trial }), sales[next].start <= limit,
                    !sales[next].isTrial, sales[next].isOwn, isSameRun(next)
                {
                    amounts["converted"] = 1
                }
            }
            return Count(at: sales[trial].start, sale: trial, amounts: amounts)
        }
    }

    func isSameRun(_ sale: Int) -> Bool {
        let before = plain.state(before: sales[sale].start)?.name
        return before != nil && before != "expired" && before != "revoked"
    }

    private var renewals: [Count] {
        periods.filter { sales[$0].isRenewal && sales[$0].isBought }.map { sale in
            if sales[sale].price == nil {
                return Count(at: sales[sale].bought, sale: sale, amounts: ["unpriced": 1])
            }
            let before = plain.state(before: sales[sale].start)?.name
            let isRecovered = before == "grace" || before == "billingRetry"
            return Count(
                at: sales[sale].bought, sale: sale,
                amounts: ["renewals": 1, "recovered": isRecovered ? 1 : 0])
        }
    }

    private var reactivations: [Count] {
        guard !plain.life.isOneTime else { return [] }
        var counts: [Count] = []
        for (index, state) in plain.states.enumerated().dropFirst() where state.isEntitled {
            let before = plain.states[index - 1]
            let isBack =
                before.name == "expired" || (before.name == "revoked" && before.sale != state.sale)
            guard isBack, let last = plain.states[..<index].lastIndex(where: \.isEntitled) else {
                continue
            }
            let away = state.from.milliseconds(since: plain.states[last + 1].from) / Self.day
            let bucket =
                away < 7
                ? "0-6"
                : away < 30
                    ? "7-29"
                    : away < 90
                        ? "30-89"
                        : away < 365
                            ? "90-364" : "365+"
            counts.append(
                Count(
                    at: state.from, sale: state.sale,
                    amounts: ["reactivated": 1, "away.\(bucket)": 1]))
        }
        return counts
    }

    /// Whether a reversed refund gave back a state of the same purchase.
    private func isResumed(_ index: Int) -> Bool {
        guard plain.states.indices.contains(index), index > 1 else { return false }
        let (state, before) = (plain.states[index], plain.states[index - 2])
        return plain.states[index - 1].name == "revoked" && before.name == state.name
            && before.sale == state.sale
    }

    private var recoveries: [Count] {
        guard !plain.life.isOneTime else { return [] }
        var counts: [Count] = []
        for (index, state) in plain.states.enumerated()
        where state.name == "grace" || state.name == "billingRetry" {
            if index > 0, plain.states[index - 1].name == state.name || isResumed(index) {
                continue
            }
            var amounts: [String: Int64] = ["\(state.name).entered": 1]
            let next = plain.states.indices[index...].first { later in
                plain.states[later].name != state.name && !isResumed(later + 1)
            }.map { plain.states[$0] }.flatMap { $0.from < limit ? $0 : nil }
            switch next?.name {
            case nil: amounts["\(state.name).open"] = 1
            case "subscribed"?, "renewing"?:
                amounts["\(state.name).recovered"] = 1
                let took = next!.from.milliseconds(since: state.from)
                for days in [3, 7, 14, 30, 60] as [Int64] where took <= days * Self.day {
                    amounts["\(state.name).within\(days)"] = 1
                }
            default: break
            }
            counts.append(Count(at: state.from, sale: state.sale, amounts: amounts))
        }
        return counts
    }

    private static let timing: [(from: Int64, name: String)] = [
        (0, "0"), (1, "1"), (2, "2-3"), (4, "4-7"), (8, "8-14"), (15, "15-30"), (31, "31+"),
    ]

    static func bucket(_ milliseconds: Int64) -> String {
        timing.last { $0.from * day <= max(0, milliseconds) }!.name
    }
}

// MARK: Money

extension PlainCounts {
    private func amount(_ refund: PlainLife.Refund, _ sale: PlainLife.Sale) -> Int64 {
        let exact = (sale.price ?? 0) * refund.percentage
        let (whole, rest) = (exact / 100_000, exact % 100_000)
        let isUp = rest > 50_000 || (rest == 50_000 && whole % 2 == 1)
        return whole + (isUp ? 1 : 0)
    }

    /// Refunds in force just before a moment.
    private func standing(_ sale: PlainLife.Sale, at moment: Timestamp) -> [PlainLife.Refund] {
        sale.refunds.filter { $0.from < moment && ($0.to == nil || $0.to! >= moment) }
    }

    private var refunds: [Count] {
        sales.indices.flatMap { index in
            let sale = sales[index]
            var counts: [Count] = []
            if !plain.life.isOneTime, sale.payload.isUpgraded == true {
                let at = sale.payload.revocationDate ?? sale.end
                counts.append(Count(at: at, sale: index, amounts: ["upgradeCredits": 1]))
            }
            for refund in sale.refunds {
                let amount = amount(refund, sale)
                let unknown: Int64 = sale.price == nil && !sale.isTrial ? 1 : 0
                counts.append(
                    Count(
                        at: refund.from, sale: index,
                        amounts: ["refunds": 1, "refunded": amount, "unpriced": unknown]))
                guard let to = refund.to else { continue }
                counts.append(
                    Count(
                        at: to, sale: index,
                        amounts: ["reversals": 1, "reversed": amount, "unpriced": unknown]))
            }
            return counts
        }
    }

    private var refundsByPurchase: [Count] {
        sales.indices.filter { sales[$0].isBought }.map { index in
            let (sale, price) = (sales[index], sales[index].price ?? 0)
            let standing = standing(sale, at: limit)
            return Count(
                at: sale.bought, sale: index,
                amounts: [
                    "transactions": 1, "gross": price, "refunds": standing.isEmpty ? 0 : 1,
                    "refunded": min(price, standing.map { amount($0, sale) }.reduce(0, +)),
                    "unpriced": sale.price == nil ? 1 : 0,
                ])
        }
    }

    private var revenue: [Count] {
        var counts: [Count] = []
        for (index, sale) in sales.enumerated() {
            if sale.price == nil, sale.isBought {
                counts.append(Count(at: sale.bought, sale: index, amounts: ["unpriced": 1]))
            } else if sale.price ?? 0 > 0 {
                counts.append(
                    Count(
                        at: sale.bought, sale: index,
                        amounts: ["transactions": 1, "gross": sale.price!]))
            }
            for refund in sale.refunds {
                let amount = amount(refund, sale)
                counts.append(Count(at: refund.from, sale: index, amounts: ["refunded": amount]))
                if let to = refund.to {
                    counts.append(Count(at: to, sale: index, amounts: ["reversed": amount]))
                }
            }
        }
        return counts
    }

    private var proceeds: [Count] {
        sales.indices.filter { sales[$0].isOwn && sales[$0].isBought }.map { index in
            guard sales[index].price != nil else {
                return Count(at: sales[index].bought, sale: index, amounts: ["unpriced": 1])
            }
            // All paid service before it, back to a gap of more than 60 days: from the day from
            // which each was paid to where the next began, or to the end that was paid for. What
            // was free, and what an extension added, fills gaps only. What was refunded by
            // then is no service: all of it, or from the refund on.
            var (served, edge) = (Int64(0), sales[index].bought)
            for place in (0..<index).reversed() where sales[place].isOwn {
                let sale = sales[place]
                let next = sales[place + 1]
                let refunds = standing(sale, at: sales[index].bought)
                let from = servedFrom(sale)
                if refunds.contains(where: { $0.percentage == 100_000 || $0.from <= from }) {
                    continue
                }
                let ends = [sale.statedEnd, next.bought, next.start] + refunds.map(\.from)
                let end = ends.min()!
                guard edge.milliseconds(since: end) <= 60 * Self.day else { break }
                edge = sale.bought
                guard sale.isBought else { continue }
                let paidEnd = min(end, sale.firstEnd ?? end)
                served += max(0, paidEnd.milliseconds(since: from))
            }
            // A year may lose an hour to a change of clocks.
            let isLong = !plain.life.isOneTime && served + 3_600_000 >= 365 * Self.day
            let (gross, rate) = (sales[index].price!, isLong ? 85 : 70) as (Int64, Int64)
            let exact = gross * rate
            let isUp = exact % 100 > 50 || (exact % 100 == 50 && exact / 100 % 2 == 1)
            return Count(
                at: sales[index].bought, sale: index,
                amounts: [
                    "transactions": 1, "gross": gross, "atHigherRate": isLong ? 1 : 0,
                    "proceeds": exact / 100 + (isUp ? 1 : 0),
                ])
        }
    }

    /// From its purchase; paid in grace, from the end of the sale before.
    private func servedFrom(_ sale: PlainLife.Sale) -> Timestamp {
        guard let before = plain.state(before: sale.start), before.name == "grace" else {
            return sale.bought
        }
        return min(sale.bought, sales[before.sale].statedEnd)
    }

    /// Of the newest paid sale; of one paid up front only where there is no other.
    private func ordinaryLength(of paid: [Int]) -> ISO8601Period {
        let ordinary = paid.last { sales[$0].payload.offerDiscountType?.value != .payUpFront }
        return sales[ordinary ?? paid.last!].length(catalogue)!
    }

    private var retention: [Count] {
        let paid = begun.filter {
            sales[$0].isOwn && !sales[$0].isTrial && sales[$0].start < limit
        }
        guard !plain.isAdopted, let first = paid.first else { return [] }
        var amounts: [String: Int64] = ["cohort": 1]
        for step in 2...24 where paid.count >= step {
            amounts["step.\(step).reached"] = 1
            amounts["step.\(step).chance"] = 1
        }
        // If every further period followed the newest one, or the free ones that follow it without
        // a break, this one would have begun.
        var newest = paid.last!
        for sale in begun where sale > newest && sales[sale].isOwn {
            guard sales[sale].start < limit, isSameRun(sale) else { break }
            newest = sale
        }
        let length = sales[newest].productLength(catalogue) ?? ordinaryLength(of: paid)
        var begins = sales[newest].end
        for step in max(2, paid.count + 1)...max(24, paid.count + 1)
        where step <= 24 && begins <= limit {
            amounts["step.\(step).chance"] = 1
            begins = length.adding(to: begins)
        }
        return [Count(at: sales[first].start, sale: first, amounts: amounts)]
    }
}
