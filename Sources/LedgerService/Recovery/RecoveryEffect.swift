import AppStore
import Ledger
import LedgerStore

/// What events that a recovery brought change in answers: what was believed before them beside what
/// is known with them.
struct RecoveryEffect: Sendable {
    let snapshot: LedgerSnapshot
    let request: RecoveryRequest
    /// The end of the log before the recovery.
    let start: Int64
    let now: Timestamp

    /// Chains folded at a time.
    static let pageChainCount = 500

    struct Found: Sendable {
        var newByType: [(type: String, count: Int64)] = []
        var chains: [RecoveryReport.ChangedChain] = []
        var chainsOmitted = 0
        var customers: [RecoveryReport.MisledCustomer] = []
        var customersOmitted = 0

        var newCount: Int64 { newByType.reduce(0) { $0 + $1.count } }
    }

    func read() async throws(StoreError) -> Found {
        var found = Found()
        let chains = try await newEvents(&found)
        var customers: Set<CustomerId> = []
        var index = 0
        while index < chains.count {
            let page = Array(
                chains[index..<min(index + RecoveryEffect.pageChainCount, chains.count)])
            index += page.count
            for (chain, facts) in try await snapshot.facts.facts(of: page) {
                compare(chain, facts, &found, &customers)
            }
        }
        for customer in customers.sorted() {
            guard let misled = try await misled(customer) else { continue }
            guard found.customers.count < RecoveryReport.limit else {
                found.customersOmitted += 1
                continue
            }
            found.customers.append(misled)
        }
        return found
    }

    // MARK: Events

    /// Counts what the recovery appended; the chains it is about, in order.
    private func newEvents(_ found: inout Found) async throws(StoreError) -> [ChainId] {
        var counts: [String: Int64] = [:]
        var chains: Set<ChainId> = []
        var position = start
        while true {
            let events = try await snapshot.ledger.log.events(
                after: position, through: snapshot.position)
            guard let last = events.last else { break }
            position = last.position
            for event in events where isBrought(event) {
                counts[event.attributes.notificationType ?? "", default: 0] += 1
                guard let id = event.attributes.chain else { continue }
                chains.insert(ChainId(bundleId: request.bundleId, originalTransactionId: id))
            }
        }
        found.newByType = counts.sorted { $0.key < $1.key }.map { (type: $0.key, count: $0.value) }
        return chains.sorted()
    }

    private func isBrought(_ event: RecordedEvent) -> Bool {
        let attributes = event.attributes
        guard attributes.kind == .notification, attributes.source == .history,
            attributes.bundleId == request.bundleId
        else { return false }
        return attributes.signedAt.map { $0 >= request.from && $0 <= request.to } ?? true
    }

    // MARK: Chains

    private func fold(_ facts: [Fact]) -> Lifecycle {
        Lifecycle(
            facts, environment: snapshot.ledger.environment, catalogue: snapshot.ledger.catalogue)
    }

    private func compare(
        _ chain: ChainId, _ facts: [Fact], _ found: inout Found, _ customers: inout Set<CustomerId>
    ) {
        let before = fold(facts.filter { $0.position <= start })
        let after = fold(facts.filter { $0.position <= snapshot.position })
        let states = (
            before.answer(at: now, now: now)?.state, after.answer(at: now, now: now)?.state
        )
        if states.0 != states.1 {
            if found.chains.count < RecoveryReport.limit {
                found.chains.append(
                    RecoveryReport.ChangedChain(chain: chain, before: states.0, after: states.1))
            } else {
                found.chainsOmitted += 1
            }
        }
        customers.formUnion(before.holders.named)
        customers.formUnion(after.holders.named)
    }

    // MARK: Customers

    /// One customer's chains and grants, as far as they are known to somebody.
    private struct Belief {
        var holdings: [Holding] = []
        var grants: [Grant] = []
    }

    private func misled(
        _ customer: CustomerId
    ) async throws(StoreError) -> RecoveryReport.MisledCustomer? {
        var (before, after) = (Belief(), Belief())
        let chains = try await snapshot.projections.chains(of: customer)
        for (chain, facts) in try await snapshot.facts.facts(of: chains) {
            let known = facts.filter { $0.position <= snapshot.position }
            before.holdings.append(
                fold(known.filter { $0.position <= start }).holding(of: customer, chain: chain))
            after.holdings.append(fold(known).holding(of: customer, chain: chain))
        }
        let own = try await snapshot.facts.facts(of: [ChainId(customer: customer)]).flatMap(\.1)
        before.grants = Grant.grants(own.filter { $0.position <= start })
        after.grants = Grant.grants(own.filter { $0.position <= snapshot.position })
        let wrong = wrong(before, after)
        guard !wrong.isEmpty else { return nil }
        return RecoveryReport.MisledCustomer(customer: customer, entitlements: wrong)
    }

    /// By entitlement, in byte order: how long the one belief differs from the other, from the
    /// beginning of the window to now.
    private func wrong(
        _ before: Belief, _ after: Belief
    ) -> [RecoveryReport.MisledCustomer.Access] {
        var sums: [String: (denied: Int64, granted: Int64)] = [:]
        let moments = moments(before.holdings + after.holdings)
        for (moment, next) in zip(moments, moments.dropFirst()) {
            let believed = active(before, at: moment)
            let known = active(after, at: moment)
            let length = next.milliseconds(since: moment)
            for name in known.subtracting(believed) { sums[name, default: (0, 0)].denied += length }
            for name in believed.subtracting(known) {
                sums[name, default: (0, 0)].granted += length
            }
        }
        return sums.sorted { $0.key < $1.key }.map { entry in
            RecoveryReport.MisledCustomer.Access(
                entitlement: entry.key, deniedMilliseconds: entry.value.denied,
                grantedMilliseconds: entry.value.granted)
        }
    }

    private func active(_ belief: Belief, at moment: Timestamp) -> Set<String> {
        let answer = Entitlements(
            at: moment, holdings: belief.holdings, grants: belief.grants,
            catalogue: snapshot.ledger.catalogue)
        return Set(answer.verdicts.filter(\.active).map(\.entitlement))
    }

    /// Where an answer may change, in order, the bounds included.
    private func moments(_ holdings: [Holding]) -> [Timestamp] {
        let (first, last) = (request.from, now)
        guard first < last else { return [] }
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
