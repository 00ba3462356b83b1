import AppStore
import Ledger
import LedgerStore
internal import Projection
internal import SQLiteStore

/// How long answers about a customer's access were wrong because of what a recovery brought: from
/// the beginning of its window to now.
///
/// An answer was wrong in two ways. Somebody who asked at the time was told what the events that
/// had come by then said, and would have been told the truth had the missing ones come when they
/// were signed. Somebody who asks about the past later is told what all events but the missing ones
/// say. Whatever either was told counts, where it is not what is known now.
struct MisledReading: Sendable {
    let snapshot: LedgerSnapshot
    let request: RecoveryRequest
    /// What was missing.
    let brought: BroughtEvents
    let now: Timestamp

    /// Moments at which a customer's events came: what is told from each on is folded anew. Of more
    /// the newest count; what was told before them is taken together.
    static let arrivalCount = 200

    /// One customer's chains and grants, as far as they are known to somebody.
    private struct Belief {
        var holdings: [Holding] = []
        var grants: [Grant] = []
    }

    /// Everything that is known of a customer.
    private struct Known {
        let customer: CustomerId
        var chains: [(ChainId, [Fact])]
        var own: [Fact]

        var facts: [Fact] { chains.flatMap(\.1) + own }
    }

    /// Beliefs beside each other, for a stretch of time.
    private struct Told {
        /// With everything.
        let truth: Belief
        /// With everything but what was missing.
        let later: Belief
        /// With what had come by the beginning of the stretch; nil: that was the truth, or as far
        /// from it as it would have been anyway.
        let then: (told: Belief, inTime: Belief)?

        var beliefs: [Belief] {
            [truth, later] + (then.map { [$0.told, $0.inTime] } ?? [])
        }
    }

    /// What a customer was told wrongly; nil: nothing.
    func misled(
        _ customer: CustomerId
    ) async throws(StoreError) -> RecoveryReport.MisledCustomer? {
        let chains = try await snapshot.projections.chains(of: customer)
        let own = try await snapshot.facts.facts(of: [ChainId(customer: customer)]).flatMap(\.1)
        let known = Known(
            customer: customer,
            chains: try await snapshot.facts.facts(of: chains).map { chain, facts in
                (chain, facts.filter { $0.position <= snapshot.position })
            }, own: own.filter { $0.position <= snapshot.position })
        let wrong = wrong(known)
        guard !wrong.isEmpty else { return nil }
        return RecoveryReport.MisledCustomer(customer: customer, entitlements: wrong)
    }

    private func isMissing(_ fact: Fact) -> Bool { brought.contains(fact.position) }

    private func signed(_ fact: Fact) -> Timestamp { fact.signedDate ?? fact.receivedAt }

    /// By entitlement, in byte order.
    private func wrong(_ known: Known) -> [RecoveryReport.MisledCustomer.Access] {
        guard request.from < now else { return [] }
        var sums: [String: (denied: Int64, granted: Int64)] = [:]
        let truth = belief(known) { _ in true }
        let later = belief(known) { !isMissing($0) }
        let bounds = bounds(known)
        for (from, to) in zip(bounds, bounds.dropFirst()) {
            var then: (told: Belief, inTime: Belief)?
            if known.facts.contains(where: { isMissing($0) && signed($0) <= from }) {
                then = (
                    belief(known) { !isMissing($0) && $0.receivedAt <= from },
                    belief(known) { (isMissing($0) ? signed($0) : $0.receivedAt) <= from }
                )
            }
            add(Told(truth: truth, later: later, then: then), from, to, &sums)
        }
        return sums.sorted { $0.key < $1.key }.map { entry in
            RecoveryReport.MisledCustomer.Access(
                entitlement: entry.key, deniedMilliseconds: entry.value.denied,
                grantedMilliseconds: entry.value.granted)
        }
    }

    /// Where what somebody had been told may change, in order: the window's beginning, whenever an
    /// event came or should have, and now.
    private func bounds(_ known: Known) -> [Timestamp] {
        var arrivals: Set<Timestamp> = []
        for fact in known.facts {
            let arrival = isMissing(fact) ? signed(fact) : fact.receivedAt
            if request.from < arrival, arrival < now { arrivals.insert(arrival) }
        }
        return [request.from] + arrivals.sorted().suffix(MisledReading.arrivalCount) + [now]
    }

    private func belief(_ known: Known, _ isKnown: (Fact) -> Bool) -> Belief {
        var belief = Belief()
        for (chain, facts) in known.chains {
            let life = Lifecycle(
                facts.filter(isKnown), environment: snapshot.ledger.environment,
                catalogue: snapshot.ledger.catalogue)
            belief.holdings.append(life.holding(of: known.customer, chain: chain))
        }
        belief.grants = Grant.grants(known.own.filter(isKnown))
        return belief
    }

    // MARK: Sums

    private func add(
        _ told: Told, _ from: Timestamp, _ to: Timestamp,
        _ sums: inout [String: (denied: Int64, granted: Int64)]
    ) {
        let moments = moments(told.beliefs.flatMap(\.holdings), from, to)
        for (moment, next) in zip(moments, moments.dropFirst()) {
            let length = next.milliseconds(since: moment)
            let truth = active(told.truth, at: moment)
            let later = active(told.later, at: moment)
            var denied = truth.subtracting(later)
            var granted = later.subtracting(truth)
            if let then = told.then {
                let (told, inTime) = (
                    active(then.told, at: moment), active(then.inTime, at: moment)
                )
                denied.formUnion(truth.subtracting(told).intersection(inTime))
                granted.formUnion(told.subtracting(truth).subtracting(inTime))
            }
            for name in denied { sums[name, default: (0, 0)].denied += length }
            for name in granted { sums[name, default: (0, 0)].granted += length }
        }
    }

    private func active(_ belief: Belief, at moment: Timestamp) -> Set<String> {
        let answer = Entitlements(
            at: moment, holdings: belief.holdings, grants: belief.grants,
            catalogue: snapshot.ledger.catalogue)
        return Set(answer.verdicts.filter(\.active).map(\.entitlement))
    }

    /// Where an answer may change, in order, the bounds included.
    private func moments(
        _ holdings: [Holding], _ first: Timestamp, _ last: Timestamp
    ) -> [Timestamp] {
        let leeway = snapshot.ledger.catalogue.leewayMilliseconds
        var moments: Set<Timestamp> = [first, last]
        for holding in holdings {
            for stretch in holding.stretches {
                moments.insert(stretch.from)
                if let to = stretch.to { moments.insert(to) }
            }
            guard let overdue = holding.overdue else { continue }
            moments.insert(overdue.from)
            moments.insert(overdue.from.advanced(byMilliseconds: leeway))
        }
        return moments.filter { first <= $0 && $0 <= last }.sorted()
    }
}
