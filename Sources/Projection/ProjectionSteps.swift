import Ledger
import LedgerStore
internal import SQLiteStore

/// Applies events in order of position, in steps: first their facts, then the rows of every chain
/// they touch. While the rows of one step are written, the facts of the next are decoded and its
/// chains folded.
struct ProjectionSteps: Sendable {
    let ledger: EnvironmentLedger
    let projections: ProjectionsStore
    /// Product classes that chains share; nil leaves the sums of metrics unchanged.
    let numbers: ClassNumbers?
    /// Maximum events per step; fewer in tests.
    var eventCount = ProjectionSteps.eventCount
    /// Called after each step with its duration; may delay the next step.
    var rest: Projector.Rest = { _ in true }
    let emit: @Sendable (ProjectionProgress) -> Void

    /// Maximum events whose rows are written in one transaction: a page that several of them touch
    /// is written once.
    static let eventCount = 2_500
    /// Chains whose facts are in memory at once.
    static let chainCount = 500

    /// Applies every event up to `head`.
    func run(through head: Int64) async throws(StoreError) {
        let position = try await projections.checkpoint().position
        let start = try await ledger.completeness(asOf: projections, at: position)
        // The tree covers at least the events to apply.
        let tree = try await ledger.log.tree()
        var began = ContinuousClock.now
        var step = try await step(after: position, through: head, start, of: tree)
        while let current = step {
            async let following = Outcome { () throws(StoreError) in
                try await self.step(
                    after: current.checkpoint.position, through: head, current.completeness,
                    of: tree)
            }
            try await projections.update(
                current.rows, completeness: current.added, checkpoint: current.checkpoint,
                days: ledger.days)
            ledger.learn(
                current.completeness, from: projections, at: current.checkpoint.position)
            emit(ProjectionProgress(.apply, position: current.checkpoint.position, head: head))
            step = try await following.get()
            _ = await rest(began.duration(to: .now))
            began = .now
        }
        // Rows may have been ahead of the facts.
        try await addFacts(through: head, head: head, of: tree)
    }

    private func addFacts(
        through end: Int64, head: Int64, of tree: CompactRange
    ) async throws(StoreError) {
        try await ledger.addFacts(through: end, of: tree) { position in
            emit(ProjectionProgress(.decode, position: position, head: head))
        }
    }

    // MARK: Rows

    /// The result of folding the next events.
    private struct Step {
        var rows: [ChainRows]
        var completeness: Completeness
        /// New and changed states of `completeness`.
        var added: [Completeness.State]
        var checkpoint: ProjectionCursor
    }

    /// Folds the chains that the next events touch; nil at the head.
    private func step(
        after position: Int64, through head: Int64, _ completeness: Completeness,
        of tree: CompactRange
    ) async throws(StoreError) -> Step? {
        let events = try await events(after: position, through: head)
        guard let last = events.last else { return nil }
        try await addFacts(through: last.position, head: head, of: tree)
        var touched: Set<ChainId> = []
        for event in events {
            touched.formUnion(try await ledger.chains(of: event))
            if let customer = try await ledger.customer(of: event) {
                touched.insert(ChainId(customer: customer))
            }
        }
        var completeness = completeness
        let added = try await CompletenessFold(ledger: ledger).advance(&completeness, by: events)
        return Step(
            rows: try await rows(of: touched.sorted()), completeness: completeness, added: added,
            checkpoint: ProjectionCursor(
                position: last.position, leafHash: last.leafHash, tree: tree))
    }

    private func events(
        after position: Int64, through head: Int64
    ) async throws(StoreError) -> [RecordedEvent] {
        var events: [RecordedEvent] = []
        var last = position
        while last < head, events.count < eventCount {
            let page = try await ledger.log.events(
                after: last, through: head, limit: eventCount - events.count, damaged: .marked)
            guard let end = page.last else { break }
            events += page
            last = end.position
        }
        return events
    }

    private func rows(of chains: [ChainId]) async throws(StoreError) -> [ChainRows] {
        let (environment, catalogue) = (ledger.environment, ledger.catalogue)
        let numbers = numbers
        var rows: [ChainRows] = []
        rows.reserveCapacity(chains.count)
        for start in stride(from: 0, to: chains.count, by: ProjectionSteps.chainCount) {
            let some = chains[start..<min(start + ProjectionSteps.chainCount, chains.count)]
            let facts = try await ledger.facts.facts(of: Array(some))
            rows += try await Parallel.map(facts) { (entry) throws(StoreError) in
                ChainRows(
                    entry.0, facts: entry.1, environment: environment, catalogue: catalogue,
                    numbers: numbers)
            }
        }
        return rows
    }
}

extension EnvironmentLedger {
    /// Decodes the events up to a position that the facts do not hold yet, while the previous ones
    /// are written.
    ///
    /// - Parameter report: receives the position reached; throws to end it.
    func addFacts(
        through end: Int64, of tree: CompactRange,
        report: (_ position: Int64) throws(StoreError) -> Void
    ) async throws(StoreError) {
        let facts = facts
        var page = try await decoded(
            after: try await facts.checkpoint().position, through: end, of: tree)
        while let current = page {
            async let following = Outcome { () throws(StoreError) in
                try await self.decoded(
                    after: current.checkpoint.position, through: end, of: tree)
            }
            try await facts.add(current.facts, checkpoint: current.checkpoint)
            try report(current.checkpoint.position)
            page = try await following.get()
        }
    }

    private func decoded(
        after position: Int64, through end: Int64, of tree: CompactRange
    ) async throws(StoreError) -> (facts: [ChainFact], checkpoint: ProjectionCursor)? {
        guard position < end else { return nil }
        let page = try await log.page(after: position, through: end, damaged: .marked)
        guard let last = page.last?.event else { return nil }
        let decoded = try await Parallel.map(page) { (logged) throws(StoreError) in
            FactDecoder.decode(logged)
        }
        return (
            decoded.flatMap { $0 },
            ProjectionCursor(position: last.position, leafHash: last.leafHash, tree: tree)
        )
    }
}
