internal import AppStore
internal import Ledger
internal import LedgerStore
internal import Projection

/// The event of an erasure.
extension PersonErasure {
    /// An order whose texts have the greatest length; JSON writes each of their bytes as two.
    package static let longestOrder = CommandIntake.Order(
        actor: String(repeating: "\"", count: CommandLimits.actorByteCount),
        tokenName: String(repeating: "\"", count: CommandLimits.actorByteCount),
        reason: String(repeating: "\"", count: CommandLimits.reasonByteCount),
        key: String(repeating: "\"", count: CommandLimits.idByteCount))

    /// The erasure that an order of a plan makes.
    ///
    /// Throws `ErasureError` (`erasureTooLarge`, `numbersWouldChange`).
    func erasure(_ plan: ErasurePlan, _ order: CommandIntake.Order) throws -> Erasure {
        let pseudonyms = Pseudonyms(plan.facts.map { ($0.chain, $0.fact) }, draw: draw)
        let erasure = Erasure(
            id: order.key.map { EventKey.erasureId(orderedUnder: $0) } ?? draw(1)[0],
            actor: order.actor, tokenName: order.tokenName,
            reason: order.reason, positions: plan.positions,
            chains: PersonErasure.subjects(plan.chains, plan.customer)
                .map { ErasedChain($0) }.sorted { $0.digest < $1.digest },
            facts: plan.facts.compactMap { pseudonyms.replace($0.chain, $0.fact, part: $0.part) }
                .sorted { ($0.fact.position, $0.part) < ($1.fact.position, $1.part) })
        guard erasure.facts.count <= maximumFactCount else { throw tooLarge(plan, erasure) }
        let evidence = erasure.evidence
        guard evidence.count <= maximumByteCount else { throw tooLarge(plan, erasure) }
        guard Erasure(evidence: evidence) == erasure else {
            throw ErasureError(
                .numbersWouldChange,
                "A fact of these events cannot be carried without a change; the log is unchanged."
                    + " Please report this as a defect.")
        }
        try requireSameNumbers(plan, erasure, pseudonyms)
        return erasure
    }

    private func tooLarge(_ plan: ErasurePlan, _ erasure: Erasure) -> ErasureError {
        ErasureError(
            .erasureTooLarge,
            "What \(plan.positions.count.named("event", "events")) state,"
                + " \(erasure.facts.count.named("fact", "facts")), does not fit into one erasure of"
                + " \(maximumByteCount) bytes and \(maximumFactCount) facts; the log is unchanged."
                + (plan.isDivisible
                    ? " Erase the customer's chains one by one; those that one receipt states are"
                        + " erased together."
                    : " A chain is erased as a whole, with the chains that its receipts state."))
    }

    /// Throws `numbersWouldChange` unless every chain keeps its states and their times.
    private func requireSameNumbers(
        _ plan: ErasurePlan, _ erasure: Erasure, _ pseudonyms: Pseudonyms
    ) throws {
        let before = Dictionary(grouping: plan.facts, by: \.chain)
        let after = Dictionary(grouping: erasure.facts, by: \.chain)
        for (chain, facts) in before {
            let name = pseudonyms.chain(chain)
            let one = ledger.life(of: facts.map(\.fact)).intervals
            let other = ledger.life(of: (after[name] ?? []).map(\.fact)).intervals
            let isSame =
                one.count == other.count
                && zip(one, other).allSatisfy {
                    $0.from == $1.from && $0.to == $1.to && $0.state == $1.state
                }
            guard isSame else {
                throw ErasureError(
                    .numbersWouldChange,
                    "The states of a chain would change; the log is unchanged. Please report this"
                        + " as a defect.")
            }
        }
    }
}
