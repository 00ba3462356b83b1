import AppStore
import Ledger
internal import Projection
internal import Queries

/// Comparison of metrics that are not sums over chains: delays have ranks, and customers may hold
/// several chains.
extension MetricsQuery {
    // MARK: Deliveries

    /// The events of a cell are the deliveries in it that only one of the two contains; those of a
    /// cell of suspected outages are the deliveries related to windows that only one suspects.
    func latenessDiff(
        _ scope: MetricScope, _ before: AsOf, limit: Timestamp
    ) async throws(MetricsError) -> Report {
        let sum = try await deliveries(scope.delays(), before)
        let (then, now) = (sum.before.outages(limit: limit), sum.after.outages(limit: limit))
        let (old, new) = (
            MetricsQuery.values(sum.before.rows(then)), MetricsQuery.values(sum.after.rows(now))
        )
        let changed = Set(then).symmetricDifference(now)
        var moved: [Place: CellEvents] = [:]
        for place in MetricsQuery.moved(old, new) {
            let interval = scope.instants.firstIndex(of: place.from) ?? 0
            let cell = RollForwardQuery.Cell(interval: interval, key: place.group)
            moved[place] =
                place.column == LatenessTable.suspected
                ? CellEvents(sum.known.about(changed.filter { sum.after.cell(of: $0) == cell }))
                : sum.events[cell] ?? CellEvents()
        }
        return try await difference(
            .lateness, scope, before, remarks(sum.chainCount > 0), scope.dimensions,
            try cells(old, new, moved, columns: LatenessTable.columns.map(\.name)))
    }

    private func deliveries(
        _ empty: LatenessTable, _ before: AsOf
    ) async throws(MetricsError) -> StatesCompared<LatenessTable, RollForwardQuery.Cell> {
        let after = knowledge
        return try await sumFacts(StatesCompared(empty)) { sum, chain, facts in
            sum.chainCount += 1
            for fact in facts {
                let (old, new) = (before.admits(fact), after.admits(fact))
                if old { sum.before.add(fact, of: chain.bundleId) }
                if new { sum.after.add(fact, of: chain.bundleId) }
                guard old != new else { continue }
                sum.known.add(fact, of: chain.bundleId)
                guard let cell = empty.cell(of: fact, chain.bundleId) else { continue }
                sum.events[cell, default: CellEvents()].add(fact.position)
            }
        }
    }

    // MARK: Customers

    /// The events of a cell are those that changed a chain of a customer whose contribution
    /// differs.
    func lifetimeDiff(
        _ scope: MetricScope, _ before: AsOf, limit: Timestamp
    ) async throws(MetricsError) -> Report {
        guard !scope.hasReason else { throw .reasonElsewhere }
        let empty = scope.payments(until: limit)
        let sum = try await accounts(empty, before, limit: limit, scope.zone)
        try requireRates(sum.rateGaps)
        var moved: [Place: CellEvents] = [:]
        for (customer, events) in sum.events {
            guard !Task.isCancelled else { throw .stopped }
            let old = MetricsQuery.values(try sum.before.only(customer).rows())
            let new = MetricsQuery.values(try sum.after.only(customer).rows())
            var places = MetricsQuery.moved(old, new)
            for place in places {
                // An average changes with its parts.
                guard let age = LifetimeTable.ageName(place.column) else { continue }
                var average = place
                average.column = "\(age).perCustomer"
                places.insert(average)
            }
            for place in places { moved[place, default: CellEvents()].add(events) }
        }
        let rows = try sum.after.rows()
        let money = unpriced(rows) + (rates == nil ? [] : [.converted]) + rows.currencyRemarks
        return try await difference(
            .ltv, scope, before, remarks(sum.chainCount > 0) + money,
            [.currency] + empty.dimensions,
            try cells(
                MetricsQuery.values(try sum.before.rows()), MetricsQuery.values(rows), moved,
                columns: LifetimeTable.columns.map(\.name)),
            money: Set(LifetimeTable.columns.filter(\.isMoney).map(\.name)))
    }

    /// The events of a customer changed the revenue or the holder of one of their chains.
    private func accounts(
        _ empty: LifetimeTable, _ before: AsOf, limit: Timestamp, _ zone: ReportZone
    ) async throws(MetricsError) -> StatesCompared<LifetimeTable, LifetimeTable.Customer> {
        let (ledger, after) = (snapshot.ledger, knowledge)
        let conversion = RateConversion(rates: rates, question: nil, zone: zone)
        return try await sumFacts(StatesCompared(empty)) { sum, chain, facts in
            sum.chainCount += 1
            func income(_ facts: [Fact]) -> CustomerIncome {
                let life = ledger.life(of: facts)
                var income = CustomerIncome(life, of: chain, ledger.catalogue, limit: limit)
                income.revenue = conversion.converted(income.revenue, .revenue, &sum.rateGaps)
                return income
            }
            let compared = FactsCompared(facts, before, after)
            let then = income(compared.old)
            sum.before.add(then)
            guard !compared.known.isEmpty else { return sum.after.add(then) }
            let now = income(compared.new)
            sum.after.add(now)
            compared.forEachStep(from: then, income) { before, after, events in
                guard after != before else { return }
                for customer in Set([before.customer, after.customer]) {
                    sum.events[customer, default: CellEvents()].add(CellEvents(events))
                }
            }
        }
    }
}

/// The revenue of one chain and its customer.
struct CustomerIncome: Equatable {
    let chain: ChainId
    let customer: LifetimeTable.Customer
    var revenue: [Occurrence]
    /// Whether the first known period is not the chain's first.
    let isAdopted: Bool

    /// Ignores which event proves an occurrence.
    static func == (left: CustomerIncome, right: CustomerIncome) -> Bool {
        func plain(_ found: [Occurrence]) -> [Occurrence] {
            found.map { occurrence in
                var plain = occurrence
                plain.cause = 0
                return plain
            }
        }
        return left.customer == right.customer && left.isAdopted == right.isAdopted
            && plain(left.revenue) == plain(right.revenue)
    }
}

extension CustomerIncome {
    init(_ life: Lifecycle, of chain: ChainId, _ catalogue: Catalogue, limit: Timestamp) {
        self.chain = chain
        guard !life.isEmpty else {
            (customer, revenue, isAdopted) = (.chain(chain), [], false)
            return
        }
        let holder = life.holders.holders(at: limit).map(\.customer).min()
        customer = holder.map { .known(chain.bundleId, $0) } ?? .chain(chain)
        let counted = life.counted(catalogue)
        revenue = counted.occurrences(
            of: .revenue, in: chain.bundleId, catalogue: catalogue, limit: limit, instants: [])
        isAdopted = counted.isAdopted
    }
}
