public import AppStore
public import Ledger
internal import Projection
public import Proofs
internal import Queries

/// What a bundle proves.
public enum ProvenAnswer: Sendable, Hashable {
    /// A subscription, by the id of its chain or of a transaction.
    case subscription(String)
    case customer(CustomerId)
    case event(Int64)
}

/// Answers with everything that proves them (`Proof.md`).
extension LedgerHost {
    /// Whether a key signs checkpoints of an environment.
    public func canProve(_ environment: Environment) -> Bool {
        configuration.audits.contains { $0.environment == environment }
    }

    /// About the largest bundle over HTTP: 4 MiB; `audit prove` makes larger ones.
    static let bundleByteCount = 4 * 1024 * 1024

    /// Makes a bundle of the state that a scope asks about.
    ///
    /// Throws `ProofError`, `ConfigurationError`, `MissingAnswer`, `QueryError`, `StoreError` or
    /// `ServingError`.
    public func bundle(_ answer: ProvenAnswer, _ scope: QueryScope) async throws -> ProofBundle {
        let served = try ledger(scope.environment)
        guard let audit = configuration.audits.first(where: { $0.environment == scope.environment })
        else { throw ProofError.missingKey(scope.environment) }
        let signer = CheckpointSigner(
            log: served.ledger.log, operations: served.ledger.operations, prover: served.proofs,
            key: try audit.signerKey(), clock: clock)
        let snapshot = try await served.snapshot(for: scope)
        let maker = BundleMaker(
            snapshot, prover: served.proofs, signer: signer,
            maximumByteCount: LedgerHost.bundleByteCount)
        switch answer {
        case .subscription(let id):
            return try await maker.subscription(
                id, bundleId: scope.bundleId, moment: try answerMoment(scope))
        case .customer(let customer):
            return try await maker.customer(customer, moment: try answerMoment(scope))
        case .event(let position): return try await maker.events([position])
        }
    }
}
