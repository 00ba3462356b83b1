public import AppStore
public import Ledger
public import LedgerStore
public import Projection
internal import SQLiteStore

/// Everything about one customer at one moment: the folded chains they hold or held, and the
/// commands about them.
public struct CustomerReading: Sendable {
    public let customer: CustomerId
    public let moment: Moment
    public let stamp: AnswerStamp
    /// The chains, in order, that existed at the moment and that the customer had held by then.
    public let chains: [ChainReading]
    /// Chains that named the customer but that the customer had not held by the moment, such as one
    /// linked to another: a link applies from the chain's start.
    public let elsewhere: [ChainReading]
    /// Commands about the customer, in the order in which they took effect, up to the moment.
    public let commands: [Fact]
    /// Whether any event names the customer: in any app, at any time, known by then or not.
    public internal(set) var isKnown = true

    /// One line of the merged timeline.
    public enum Entry: Sendable {
        case chain(TimelineEntry, ChainReading)
        /// A grant, its withdrawal, or a note about the customer.
        case command(Fact)

        public var at: Timestamp {
            switch self {
            case .chain(let entry, _): entry.at
            case .command(let fact): fact.receivedAt
            }
        }

        /// Nil for an entry about the customer.
        public var chain: ChainId? {
            if case .chain(_, let reading) = self { reading.chain } else { nil }
        }
    }

    /// The entries of a chain while the customer held it, and the decision that ended that.
    func heldEntries(_ reading: ChainReading) -> [TimelineEntry] {
        let stretches = reading.life.holders.stretches(of: customer)
        return reading.entries.filter { entry in
            stretches.contains { held in
                guard entry.at >= held.from, let end = held.to else { return entry.at >= held.from }
                return entry.at < end || entry.at == end && entry.isAboutHolders
            }
        }
    }

    /// Chains the customer holds at the moment, in chain order.
    public var held: [ChainReading] {
        chains.filter { reading in
            reading.life.holders.holders(at: moment.at).contains { $0.customer == customer }
        }
    }
}

extension LedgerSnapshot {
    /// Folds everything about a customer; an unknown id has no chains and no commands.
    public func reading(
        of customer: CustomerId, moment: Moment, bundleId: BundleId? = nil
    ) async throws(StoreError) -> CustomerReading {
        let every = try await chains(of: customer, nil)
        let chains = every.filter { bundleId == nil || $0.bundleId == bundleId }
        let named = try await readings(of: chains, moment)
        let isHeld = { (reading: ChainReading) in
            reading.life.holders.stretches(of: customer).contains { $0.from <= moment.at }
        }
        let allOwn = try await facts.facts(of: [ChainId(customer: customer)]).flatMap(\.1)
        let own = ledger.life(of: admitted(allOwn, moment))
        var reading = reading(
            customer, moment, bundleId, named.filter(isHeld), named.filter { !isHeld($0) },
            own.commands.filter { $0.receivedAt <= moment.at }
        )
        reading.isKnown =
            !every.isEmpty || allOwn.contains { $0.command != nil && $0.position <= position }
        return reading
    }

    /// As `reading`, but only what the customer holds at the moment: chains after `after`, one more
    /// than `limit` if there are more. Folds about as many chains as it returns.
    public func held(
        by customer: CustomerId, moment: Moment, bundleId: BundleId? = nil, after: ChainId?,
        limit: Int
    ) async throws(StoreError) -> CustomerReading {
        var rest = try await chains(of: customer, bundleId)
            .filter { chain in after.map { $0 < chain } ?? true }[...]
        var held: [ChainReading] = []
        while held.count <= limit, !rest.isEmpty {
            let next = Array(rest.prefix(limit + 1 - held.count))
            rest = rest.dropFirst(next.count)
            held +=
                reading(
                    customer, moment, bundleId, try await readings(of: next, moment), [], []
                ).held
        }
        return reading(customer, moment, bundleId, held, [], [])
    }

    private func reading(
        _ customer: CustomerId, _ moment: Moment, _ bundleId: BundleId?,
        _ chains: [ChainReading], _ elsewhere: [ChainReading], _ commands: [Fact]
    ) -> CustomerReading {
        CustomerReading(
            customer: customer, moment: moment,
            stamp: AnswerStamp(
                moment, of: bundleId, position: moment.knowledge.position(head: position), ledger),
            chains: chains, elsewhere: elsewhere, commands: commands)
    }
}
