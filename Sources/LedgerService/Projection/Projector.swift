import AppStore
import Ledger
public import LedgerStore

/// Brings what is derived up to the log: first the facts, then the rows of every chain that a new
/// fact touches. One projector works in a data directory at a time.
public struct Projector: Sendable {
    let ledger: EnvironmentLedger
    /// Held for as long as this value lives.
    private let lock: ProjectorLock
    public let projections: ProjectionsStore
    /// Where derived data stood that belonged to another log than this one (a restored backup, a
    /// fork); it was made again. Nil when all was well.
    public let divergedAt: Int64?

    /// What the projector is doing, for people who wait.
    public struct Progress: Sendable {
        public let position: Int64
        public let head: Int64
    }

    public typealias Report = @Sendable (Progress) -> Void

    /// Opens the current projections, or builds new ones when there are none, when they were
    /// built for another reducer, decoder or catalogue, or for another log.
    ///
    /// Nil while another process projects here.
    public static func open(
        _ ledger: EnvironmentLedger, report: Report = { _ in }
    ) async throws(StoreError) -> Projector? {
        guard let lock = ProjectorLock(directory: ledger.directory) else { return nil }
        var divergedAt: Int64?
        let facts = try await ledger.facts.checkpoint()
        if try await !isOfThisLog(ledger, facts) {
            divergedAt = facts.position
            try await ledger.facts.clear()
        }
        if let store = try await usable(ledger, &divergedAt) {
            return Projector(
                ledger: ledger, lock: lock, projections: store, divergedAt: divergedAt)
        }
        let rebuild = Rebuild(ledger: ledger)
        let projections = try await rebuild.run(report: report)
        return Projector(
            ledger: ledger, lock: lock, projections: projections, divergedAt: divergedAt)
    }

    /// The current projections, unless they were built for something else or are damaged.
    private static func usable(
        _ ledger: EnvironmentLedger, _ divergedAt: inout Int64?
    ) async throws(StoreError) -> ProjectionsStore? {
        guard let path = ledger.projectionFiles.current() else { return nil }
        do throws(StoreError) {
            let build = ledger.build
            let store = try await Blocking.run { () throws(StoreError) in
                try ProjectionsStore(path: path, build: build)
            }
            let checkpoint = try await store.checkpoint()
            let isOfThisLog = try await isOfThisLog(ledger, checkpoint)
            if !isOfThisLog { divergedAt = max(divergedAt ?? 0, checkpoint.position) }
            if isOfThisLog, try await store.matches(build) { return store }
            try store.close()
            return nil
        } catch {
            guard DerivedFiles.isDamage(error) else { throw error }
            return nil
        }
    }

    /// A checkpoint that the log does not confirm belongs to another log.
    static func isOfThisLog(
        _ ledger: EnvironmentLedger, _ checkpoint: Checkpoint
    ) async throws(StoreError) -> Bool {
        guard checkpoint.position > 0 else { return true }
        let event = try await ledger.log.events(
            after: checkpoint.position - 1, through: checkpoint.position, limit: 1
        ).first
        return event?.leafHash == checkpoint.leafHash
    }

    /// Applies every event up to the head found now; the head.
    @discardableResult
    public func catchUp(report: Report = { _ in }) async throws(StoreError) -> Int64 {
        let head = try await ledger.log.head().position
        try await Projector.catchUpFacts(ledger, ledger.facts, through: head)
        var position = try await projections.checkpoint().position
        while position < head {
            let events = try await ledger.log.events(after: position, through: head)
            guard let last = events.last else { break }
            try await apply(events)
            position = last.position
            report(Progress(position: position, head: head))
        }
        return head
    }

    /// Decodes the events that `facts` does not hold yet.
    static func catchUpFacts(
        _ ledger: EnvironmentLedger, _ facts: FactsStore, through head: Int64,
        report: Report = { _ in }
    ) async throws(StoreError) {
        var position = try await facts.checkpoint().position
        while position < head {
            let page = try await ledger.log.page(after: position, through: head)
            guard let last = page.last else { return }
            let decoded = try await Parallel.map(page) { (logged) throws(StoreError) in
                try FactDecoder.decode(logged)
            }
            try await facts.add(
                decoded.compactMap { $0 },
                checkpoint: Checkpoint(
                    position: last.event.position, leafHash: last.event.leafHash))
            position = last.event.position
            report(Progress(position: position, head: head))
        }
    }

    /// Folds the chains these events touch again and writes the rows that differ.
    private func apply(_ events: [RecordedEvent]) async throws(StoreError) {
        guard let last = events.last else { return }
        var touched: Set<ChainId> = []
        for event in events {
            guard let id = event.attributes.chain else { continue }
            touched.insert(
                ChainId(bundleId: event.attributes.bundleId, originalTransactionId: id))
        }
        let facts = try await ledger.facts.facts(of: touched.sorted())
        let rows = try await rows(facts)
        try await projections.update(
            rows, checkpoint: Checkpoint(position: last.position, leafHash: last.leafHash))
    }

    private func rows(_ chains: [(ChainId, [Fact])]) async throws(StoreError) -> [ChainRows] {
        let (environment, catalogue) = (ledger.environment, ledger.catalogue)
        return try await Parallel.map(chains) { (entry) throws(StoreError) in
            ChainRows(entry.0, facts: entry.1, environment: environment, catalogue: catalogue)
        }
    }
}
