import AppStore
import Ledger
import LedgerStore
internal import Projection
internal import Queries
internal import SQLiteStore

/// The effect of recovered events on answers: compares the states without them and with them.
/// Events that came another way meanwhile, mostly live deliveries, are on both sides, since they
/// were not missing.
struct RecoveryEffect: Sendable {
    let snapshot: LedgerSnapshot
    let request: RecoveryRequest
    /// The end of the log before the recovery.
    let start: Int64
    let now: Timestamp

    /// Chains folded at a time.
    static let pageChainCount = 500

    /// Adds the new events, the chains that changed state and the customers that were misled.
    func add(to report: inout RecoveryReport) async throws(StoreError) {
        // The events that were missing.
        var brought = RecoveredEvents(after: start)
        let chains = try await newEvents(&report, &brought)
        var customers: Set<CustomerId> = []
        for page in chains.pieces(of: RecoveryEffect.pageChainCount) {
            for (chain, facts) in try await snapshot.facts.facts(of: page) {
                compare(chain, facts, brought, &report, &customers)
            }
        }
        let reading = AccessImpact(
            snapshot: snapshot, request: request, brought: brought, now: now)
        for customer in customers.sorted() {
            guard let misled = try await reading.misled(customer) else { continue }
            report.customers.append(
                misled, upTo: RecoveryReport.limit, omitted: &report.customersOmitted)
        }
    }

    // MARK: Events

    /// Counts the appended events; returns the chains they are about, in order.
    private func newEvents(
        _ report: inout RecoveryReport, _ brought: inout RecoveredEvents
    ) async throws(StoreError) -> [ChainId] {
        var counts: [String: Int64] = [:]
        var chains: Set<ChainId> = []
        var position = start
        while true {
            let events = try await snapshot.ledger.log.events(
                after: position, through: snapshot.position, damaged: .marked)
            guard let last = events.last else { break }
            position = last.position
            for event in events {
                guard isBrought(event) else {
                    brought.leaveOut(event.position)
                    continue
                }
                counts[event.attributes.notificationType ?? "", default: 0] += 1
                guard let id = event.attributes.chain else { continue }
                chains.insert(ChainId(bundleId: request.bundleId, originalTransactionId: id))
            }
        }
        report.newByType = counts.sorted { $0.key < $1.key }.map { (type: $0.key, count: $0.value) }
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

    private func compare(
        _ chain: ChainId, _ facts: [Fact], _ brought: RecoveredEvents,
        _ report: inout RecoveryReport, _ customers: inout Set<CustomerId>
    ) {
        let known = facts.filter { $0.position <= snapshot.position }
        let before = snapshot.ledger.life(
            of: known.filter { !brought.contains($0.position) })
        let after = snapshot.ledger.life(of: known)
        let states = (
            before.answer(at: now, now: now)?.state, after.answer(at: now, now: now)?.state
        )
        if states.0 != states.1 {
            report.chains.append(
                RecoveryReport.ChangedChain(chain: chain, before: states.0, after: states.1),
                upTo: RecoveryReport.limit, omitted: &report.chainsOmitted)
        }
        customers.formUnion(before.holders.named)
        customers.formUnion(after.holders.named)
    }
}
