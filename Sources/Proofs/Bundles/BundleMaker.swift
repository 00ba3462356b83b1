public import AppStore
internal import Intake
public import Ledger
public import LedgerStore
public import Projection
public import Queries
public import Reports
internal import SQLiteStore
internal import Signing

/// Makes bundles of one environment's ledger.
public struct BundleMaker: Sendable {
    let chains: LedgerSnapshot
    let prover: TreeProver
    let signer: CheckpointSigner
    let maximumByteCount: Int

    /// - `chains`: answers from the state to prove.
    /// - `maximumByteCount`: about the largest file.
    public init(
        _ chains: LedgerSnapshot, prover: TreeProver, signer: CheckpointSigner,
        maximumByteCount: Int = ProofBundle.maximumByteCount
    ) {
        self.maximumByteCount = maximumByteCount
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
        let chain = try await chains.reading(id, bundleId: bundleId, moment: moment).chain
        return try await bundle(
            about: [chain], answering: try query(.subscription(chain, askedAs: id), moment))
    }

    /// The entitlements of a customer, as `entitlements` answers them.
    ///
    /// Throws `StoreError` and `ProofError`.
    public func customer(_ customer: CustomerId, moment: Moment) async throws -> ProofBundle {
        let named = try await chains.projections.chains(of: customer)
        return try await bundle(
            about: named + [ChainId(customer: customer)],
            answering: try query(.customer(customer), moment))
    }

    /// What the chains behind one cell of a report add to it, as `metrics chains` answers it.
    ///
    /// - `reportTimeZone`: the configured one.
    /// - `bundleId`: nil: all apps.
    ///
    /// Throws `MetricsError`, `StoreError` and `ProofError`.
    public func cell(
        _ metric: MetricName, _ parameters: CellParameters, reportTimeZone: String,
        bundleId: BundleId?, moment: Moment
    ) async throws -> ProofBundle {
        guard metric.isOfLives else { throw MetricsError.notByChain(metric.rawValue) }
        var moment = moment
        // Reports end at their own time.
        moment.now = min(moment.at, moment.now)
        let found = try await MetricsQuery(
            chains, reportTimeZone: reportTimeZone, now: moment.now, knowledge: moment.knowledge,
            bundleId: bundleId
        ).cell(metric, parameters, limit: .max)
        var filters = parameters.filters
        if let bundleId {
            // The query of a bundle has no app beside its filters. Of other apps nothing was found.
            let app = Dimension.app.rawValue
            filters.removeAll { $0.hasPrefix("\(app)=") }
            filters.append("\(app)=\(bundleId.rawValue)")
        }
        let isPaid = metric == .churn(isPaid: true)
        let cell = BundledCell(
            name: isPaid ? MetricName.churnName : metric.rawValue, isPaid: isPaid,
            column: parameters.column, from: found.from, to: found.to,
            timeZone: parameters.timeZone ?? reportTimeZone, group: parameters.group,
            filters: filters, chains: found.chains.map(\.chain))
        let query = try query(.cell(cell), moment)
        let facts = try await chains.facts.facts(of: cell.chains).flatMap(\.1)
        let positions = facts.map(\.position).filter { $0 <= query.knownPosition }
        let bundle = try await bundle(Set(positions).sorted(), answering: query)
        guard bundle.answer?.value["amount"]?.int64 == found.amount else {
            throw BundleMaker.otherAnswer
        }
        return bundle
    }

    /// Events alone.
    ///
    /// Throws `StoreError` and `ProofError`.
    public func events(_ positions: [Int64]) async throws -> ProofBundle {
        try await bundle(Set(positions).sorted(), answering: nil)
    }

    // MARK: Parts

    private static let otherAnswer = ProofError(
        .logUnsound, "Its events give another answer than the ledger: run `rebuild --check`.")

    /// A bundle of the events that stated the facts of these chains. Throws unless they give the
    /// answer of the facts that the ledger keeps.
    private func bundle(
        about subjects: [ChainId], answering query: BundleQuery
    ) async throws -> ProofBundle {
        var facts: [ChainId: [Fact]] = [:]
        for (chain, stated) in try await chains.facts.facts(of: subjects) {
            // Omits the erasure of an earlier life, whose content would appear next to the
            // person's id.
            facts[chain] = stated.filter {
                $0.cause.kind != .erasure && $0.position <= query.knownPosition
            }
        }
        let positions = Set(facts.values.joined().map(\.position))
        let bundle = try await bundle(positions.sorted(), answering: query)
        guard let answer = bundle.answer,
            try answer.value
                == BundleFold.value(
                    answer.query, in: chains.ledger.environment, chains.ledger.catalogue,
                    of: facts)
        else { throw BundleMaker.otherAnswer }
        return bundle
    }

    private func query(
        _ subject: BundleQuery.Subject, _ moment: Moment
    ) throws(ProofError) -> BundleQuery {
        if moment.knowledge.knownAt != nil {
            throw ProofError(
                .nothingToProve,
                "A bundle states what was known by a position; use --known-position.")
        }
        return BundleQuery(
            subject: subject, at: moment.at, now: moment.now,
            knownPosition: moment.knowledge.position(head: chains.position))
    }

    /// The positions with erased events replaced by the erasures that carry what they stated.
    private func carried(_ positions: [Int64], isAnswer: Bool) async throws -> [Int64] {
        let log = chains.ledger.log
        let erasures = try await log.erasurePositions(after: 0, through: .max)
        var missing: Set<Int64> = []
        for position in erasures.isEmpty ? [] : positions {
            guard let logged = try await log.event(at: position) else { continue }
            if logged.evidence == nil, logged.damage == nil { missing.insert(position) }
        }
        var carrier: [Int64: Int64] = [:]
        // The newest first; an erasure is large, and few are read.
        for erasure in erasures.reversed() where !missing.isEmpty {
            let bytes = try await log.event(at: erasure)?.originalBytes() ?? []
            for position in Erasure.positions(inEvidence: bytes) ?? []
            where missing.remove(position) != nil {
                carrier[position] = erasure
            }
        }
        guard !carrier.isEmpty else { return positions }
        guard isAnswer || positions.allSatisfy({ carrier[$0] == nil }) else {
            throw ProofError.erased
        }
        return Set(positions.map { carrier[$0] ?? $0 }).sorted()
    }

    private func bundle(
        _ positions: [Int64], answering query: BundleQuery?
    ) async throws -> ProofBundle {
        guard !positions.isEmpty else {
            let end = query.map { " up to position \($0.knownPosition)" } ?? ""
            throw ProofError(
                .nothingToProve,
                "The log holds no event about this\(end), so there is nothing to prove.")
        }
        guard positions.count <= ProofBundle.maximumEventCount else {
            throw ProofError(
                .nothingToProve,
                "\(positions.count) events are more than a bundle holds"
                    + " (\(ProofBundle.maximumEventCount)).")
        }
        let positions = try await carried(positions, isAnswer: query != nil)
        let last = max(positions[positions.count - 1], query?.knownPosition ?? 0)
        let checkpoint = try await signer.checkpoint(covering: last)
        let signed = try LogCheckpoint(checkpoint)
        var (events, logged): ([ProofBundle.Event], [LoggedEvent]) = ([], [])
        var byteCount = 0
        for position in positions {
            guard let event = try await chains.ledger.log.event(at: position) else {
                throw ProofError(.nothingToProve, "The log has no event at position \(position).")
            }
            guard let proof = try await prover.proof(of: event.event, in: signed.size),
                proof.root == signed.root
            else {
                // Throws `logForked` where the log does not extend the checkpoint.
                _ = try await signer.sign()
                throw ProofError(
                    .logUnsound, "Event \(position) cannot be proven: run `audit verify`.")
            }
            let evidence = try event.originalBytes()
            byteCount += (evidence?.count ?? 0) * 4 / 3 + event.event.leafData.count * 2 + 2_048
            guard byteCount <= maximumByteCount else {
                let most = ProofBundle.maximumByteCount
                throw ProofError(
                    .nothingToProve,
                    "Its evidence is larger than the \(maximumByteCount) bytes of a bundle"
                        + (maximumByteCount < most ? "; `audit prove` writes up to \(most)." : ".")
                )
            }
            logged.append(event)
            events.append(
                ProofBundle.Event(
                    position: position, leafData: event.event.leafData, inclusion: proof.path,
                    evidence: evidence))
        }
        return try ProofBundle(
            environment: chains.ledger.environment,
            checkpoint: checkpoint.part(of: signer.key.verifier),
            key: signer.key.verifier, events: events,
            answer: try query.map { try answer($0, logged) }
        ).sealed(by: signer.key)
    }

    private func answer(
        _ query: BundleQuery, _ events: [LoggedEvent]
    ) throws -> ProofBundle.Answer {
        let catalogue = chains.ledger.catalogue
        let facts = BundleFold.facts(of: events)
        // The clock may have been set back since these arrived.
        let query = BundleFold.settled(query, by: facts)
        guard
            let value = try BundleFold.value(
                query, in: chains.ledger.environment, catalogue, of: facts)
        else {
            throw ProofError(.nothingToProve, "The events give no answer at that time.")
        }
        let settings = try JSONValue.parse(catalogue.canonicalBytes)
        guard Catalogue(bundled: settings) != nil else {
            throw ProofError(
                .nothingToProve, "The leeway is none of 0 to 90 days in whole seconds.")
        }
        return ProofBundle.Answer(
            query: query, reducerVersion: Int64(Lifecycle.reducerVersion),
            catalogue: settings, value: value)
    }
}
