public import AppStore
public import Ledger
internal import LedgerStore
internal import SQLiteStore

/// What an erasure would erase: found in the log, and not written anywhere.
public struct ErasurePlan: Sendable {
    /// The chains, in order; more than requested where one receipt states several.
    public let chains: [ChainId]
    /// The customer whose own decisions are erased, too.
    public let customer: CustomerId?
    /// The events that become tombstones, ascending; none where only quarantined inputs name the
    /// person.
    public let positions: [Int64]
    /// The current holders of the chains that were not requested.
    let holders: [ChainId: [CustomerId]]
    /// Every id of the person that the events hold.
    let ids: Set<String>
    /// The ids whose quarantined inputs are removed. Without a customer those of the purchases
    /// alone: what is quarantined about another subscription of the person exists nowhere else.
    let quarantineIds: Set<String>
    /// What the events state.
    let facts: [ChainFact]
    /// Every event up to this position was considered.
    var through: Int64
    /// The quarantined inputs that are removed.
    public internal(set) var quarantinedCount = 0

    /// The ids of the chains of which the events state nothing.
    var unloggedIds: Set<String> {
        Set(chains.map(\.originalTransactionId.rawValue))
            .subtracting(facts.map(\.chain.originalTransactionId.rawValue))
    }

    var scope: ErasureScope {
        ErasureScope(through: through, chains: chains.map(\.originalTransactionId))
    }

    /// Whether there are chains that no receipt states together, so that one can be erased without
    /// the other.
    var isDivisible: Bool {
        guard let first = chains.first else { return false }
        let stated = Dictionary(grouping: facts, by: \.fact.position).values
            .map { Set($0.map(\.chain)) }
        var together: Set = [first]
        while true {
            let more = stated.filter { !$0.isDisjoint(with: together) }
                .reduce(into: together) { $0.formUnion($1) }
            guard more != together else { return !together.isSuperset(of: chains) }
            together = more
        }
    }

    /// What would be erased, for people.
    public var text: String {
        var text = positions.count.named("event", "events") + " would be erased\n" + chainLines
        if let customer {
            text += "the decisions about customer \(customer.rawValue.printable)\n"
        }
        text += quarantinedCount.named("quarantined input", "quarantined inputs")
        text += " would be removed\n"
        guard !positions.isEmpty else { return text }
        let shown = positions.prefix(ErasurePlan.shownCount).map { "#\($0)" }
        let more = positions.count - shown.count
        return text + "positions: \(shown.joined(separator: " "))"
            + (more > 0 ? " and \(more) more" : "") + "\n"
    }

    private static let shownCount = 20

    /// The chains, for people, one a line.
    var chainLines: String {
        chains.map { chain in
            let held = (holders[chain] ?? []).map(\.rawValue.printable).joined(separator: ", ")
            return "chain \(chain.originalTransactionId.rawValue.printable) of"
                + " \(chain.bundleId.rawValue.printable)"
                + (held.isEmpty ? "\n" : ", in the same receipt, held by \(held)\n")
        }.joined()
    }

    /// The members of `{"plan":…}` of `Contract.md`, `erase`.
    public func writeMembers(to json: inout JSONWriter) {
        json.objects("chains", chains) { json, chain in
            chain.writeMembers(to: &json)
            json.member("digest", ErasedChain(chain).digest)
        }
        json.member("customer", customer)
        json.array("positions", positions)
        json.member("quarantined", Int64(quarantinedCount))
    }
}

/// A refused erasure. The log is unchanged; where events that arrived meanwhile made the search
/// start again, operational state that names the person may be removed already.
public struct ErasureError: Error, Sendable, Equatable, CustomStringConvertible {
    public let code: Code
    /// What is wrong and what to do, for people.
    public let message: String

    /// Stable names; scripts rely on them.
    public enum Code: String, Sendable, CaseIterable {
        /// No event and no quarantined input names the chain or the customer.
        case nothingToErase
        /// Another customer holds a chain that names the customer, or that is in one receipt with
        /// such a chain.
        case heldByAnother
        /// The facts do not fit into one event.
        case erasureTooLarge
        /// The facts cannot be carried over unchanged.
        case numbersWouldChange
    }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
