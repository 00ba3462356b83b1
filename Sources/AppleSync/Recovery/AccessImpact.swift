import AppStore
import Ledger
import LedgerStore
internal import Projection
internal import Queries
internal import SQLiteStore

/// Measures for how long answers about a customer's access were wrong because of the events that a
/// recovery brought, from the start of its window to now.
///
/// An answer can be wrong in two ways. A query at the time saw only the events that had arrived by
/// then; the right answer would have included the missing events from when they were signed. A
/// later query about the past sees all events but the missing ones. Either counts where it differs
/// from what is known now.
struct AccessImpact: Sendable {
    let snapshot: LedgerSnapshot
    let request: RecoveryRequest
    /// The events that were missing.
    let brought: RecoveredEvents
    let now: Timestamp

    /// Maximum arrivals of a customer's events after which answers are folded again: the newest.
    /// Earlier answers are treated as one.
    static let arrivalCount = 200

    /// One customer's chains and grants as of some state of knowledge.
    private struct CustomerState {
        var holdings: [Holding] = []
        var grants: [Grant] = []
    }

    /// All facts about a customer.
    private struct Known {
        let customer: CustomerId
        var chains: [(ChainId, [Fact])]
        var own: [Fact]

        var facts: [Fact] { chains.flatMap(\.1) + own }
    }

    /// A state of knowledge over an interval, without the missing facts and with them.
    private typealias Reported = (without: CustomerState, with: CustomerState)

    /// The wrong answers about a customer; nil when there are none.
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
        let truth = state(known) { _ in true }
        let later: Reported = (without: state(known) { !isMissing($0) }, with: truth)
        let bounds = bounds(known)
        for (from, to) in zip(bounds, bounds.dropFirst()) {
            var reported = [later]
            // A query at the time had the facts that had arrived, and should have had the others.
            if known.facts.contains(where: { isMissing($0) && signed($0) <= from }) {
                reported.append(
                    (
                        without: state(known) { !isMissing($0) && $0.receivedAt <= from },
                        with: state(known) {
                            (isMissing($0) ? signed($0) : $0.receivedAt) <= from
                        }
                    ))
            }
            add(reported, truth, from, to, &sums)
        }
        return sums.sorted { $0.key < $1.key }.map { entry in
            RecoveryReport.MisledCustomer.Access(
                entitlement: entry.key, deniedMilliseconds: entry.value.denied,
                grantedMilliseconds: entry.value.granted)
        }
    }

    /// The times at which answers may have changed, in order: the window's start, every time an
    /// event arrived or should have, and now.
    private func bounds(_ known: Known) -> [Timestamp] {
        var arrivals: Set<Timestamp> = []
        for fact in known.facts {
            let arrival = isMissing(fact) ? signed(fact) : fact.receivedAt
            if request.from < arrival, arrival < now { arrivals.insert(arrival) }
        }
        return [request.from] + arrivals.sorted().suffix(AccessImpact.arrivalCount) + [now]
    }

    private func state(_ known: Known, _ isKnown: (Fact) -> Bool) -> CustomerState {
        var state = CustomerState()
        for (chain, facts) in known.chains {
            let life = snapshot.ledger.life(of: facts.filter(isKnown))
            state.holdings.append(life.holding(of: known.customer, chain: chain))
        }
        state.grants = Grant.grants(known.own.filter(isKnown))
        return state
    }

    // MARK: Sums

    private func add(
        _ reported: [Reported], _ truth: CustomerState, _ from: Timestamp, _ to: Timestamp,
        _ sums: inout [String: (denied: Int64, granted: Int64)]
    ) {
        let moments = moments(reported.flatMap { [$0.without, $0.with] }, from, to)
        for (moment, next) in zip(moments, moments.dropFirst()) {
            let length = next.milliseconds(since: moment)
            let truth = active(truth, at: moment)
            var (denied, granted): (Set<String>, Set<String>) = ([], [])
            for states in reported {
                let without = active(states.without, at: moment)
                let with = active(states.with, at: moment)
                denied.formUnion(truth.subtracting(without).intersection(with))
                granted.formUnion(without.subtracting(truth).subtracting(with))
            }
            for name in denied { sums[name, default: (0, 0)].denied += length }
            for name in granted { sums[name, default: (0, 0)].granted += length }
        }
    }

    private func active(_ state: CustomerState, at moment: Timestamp) -> Set<String> {
        let answer = Entitlements(
            at: moment, holdings: state.holdings, grants: state.grants,
            catalogue: snapshot.ledger.catalogue)
        return Set(answer.verdicts.filter(\.active).map(\.entitlement))
    }

    /// The times at which an answer may change, in order, including the bounds.
    private func moments(
        _ states: [CustomerState], _ first: Timestamp, _ last: Timestamp
    ) -> [Timestamp] {
        let (holdings, grants) = (states.flatMap(\.holdings), states.flatMap(\.grants))
        var moments: [Timestamp] = []
        var moment: Timestamp? = first
        while let reached = moment, reached < last {
            moments.append(reached)
            moment = Entitlements.nextMoment(
                after: reached, holdings: holdings, grants: grants,
                catalogue: snapshot.ledger.catalogue)
        }
        return moments + [last]
    }
}
