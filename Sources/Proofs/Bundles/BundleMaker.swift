public import AppStore
internal import Intake
public import Ledger
public import LedgerStore
public import Projection
public import Queries
internal import SQLiteStore
internal import Signing

/// Makes bundles of one environment's ledger.
public struct BundleMaker: Sendable {
    let chains: ChainQuery
    let prover: TreeProver
    let signer: CheckpointSigner

    /// - Parameter chains: answers from the state to prove.
    public init(_ chains: ChainQuery, prover: TreeProver, signer: CheckpointSigner) {
        self.chains = chains
        self.prover = prover
        self.signer = signer
    }

    // MARK: Bundles

    /// The state of a subscription, as `show` answers it.
    ///
    /// Throws `QueryError`, `StoreError` and `ProofError`.
    public func subscription(
        _ id: String, bundleId: BundleId?, moment: Moment
    ) async throws -> ProofBundle {
        let reading = try await chains.reading(id, bundleId: bundleId, moment: moment)
        let query = try query(.subscription(reading.chain, askedAs: id), moment)
        return try await bundle(reading.facts.keys.sorted(), answering: query)
    }

    /// The entitlements of a customer, as `entitlements` answers them.
    ///
    /// Throws `StoreError` and `ProofError`.
    public func customer(_ customer: CustomerId, moment: Moment) async throws -> ProofBundle {
        let query = try query(.customer(customer), moment)
        let named = try await chains.projections.chains(of: customer)
        let homes = named + [ChainId(customer: customer)]
        let facts = try await chains.facts.facts(of: homes).flatMap(\.1)
        let positions = facts.map(\.position).filter { $0 <= query.knownPosition }
        return try await bundle(Set(positions).sorted(), answering: query)
    }

    /// Events alone.
    ///
    /// Throws `StoreError` and `ProofError`.
    public func events(_ positions: [Int64]) async throws -> ProofBundle {
        try await bundle(Set(positions).sorted(), answering: nil)
    }

    // MARK: Parts

    private func query(
        _ subject: BundleQuery.Subject, _ moment: Moment
    ) throws(ProofError) -> BundleQuery {
        if moment.knowledge.knownAt != nil {
            throw ProofError(
                .nothingToProve,
                "A bundle states what was known by a position; use --known-position.")
        }
        return BundleQuery(
            subject, at: moment.at, now: moment.now,
            knownPosition: moment.knowledge.position(head: chains.head))
    }

    private func bundle(
        _ positions: [Int64], answering query: BundleQuery?
    ) async throws -> ProofBundle {
        guard !positions.isEmpty else {
            throw ProofError(
                .nothingToProve, "The log holds no event about this, so there is nothing to prove.")
        }
        guard positions.count <= ProofBundle.maximumEventCount else {
            throw ProofError(
                .nothingToProve,
                "\(positions.count) events are more than a bundle holds"
                    + " (\(ProofBundle.maximumEventCount)).")
        }
        let checkpoint = try await signer.checkpoint(covering: positions[positions.count - 1])
        let size = try LogCheckpoint(checkpoint).size
        var (events, logged): ([ProofBundle.Event], [LoggedEvent]) = ([], [])
        for position in positions {
            guard let event = try await chains.ledger.log.event(at: position) else {
                throw ProofError(.nothingToProve, "The log has no event at position \(position).")
            }
            guard let proof = try await prover.proof(of: event.event, in: size) else {
                throw ProofError(
                    .logUnsound, "Event \(position) cannot be proven: run `audit verify`.")
            }
            logged.append(event)
            events.append(
                ProofBundle.Event(
                    position: position, leafData: event.event.leafData, inclusion: proof.path,
                    evidence: try event.originalBytes()))
        }
        return ProofBundle(
            environment: chains.ledger.environment, checkpoint: checkpoint.ownPart,
            key: signer.key.verifier, events: events,
            answer: try query.map { try answer($0, logged) })
    }

    private func answer(
        _ query: BundleQuery, _ events: [LoggedEvent]
    ) throws -> ProofBundle.Answer {
        let catalogue = chains.ledger.catalogue
        guard
            let value = try BundleFold.value(
                query, in: chains.ledger.environment, catalogue, events)
        else {
            throw ProofError(.nothingToProve, "The events give no answer at that time.")
        }
        return ProofBundle.Answer(
            query: query, reducerVersion: Int64(Lifecycle.reducerVersion),
            catalogue: try JSONValue.parse(catalogue.canonicalBytes), value: value)
    }
}
