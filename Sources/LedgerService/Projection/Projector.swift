import AppStore
import Ledger
public import LedgerStore
import Synchronization

/// Brings what is derived up to the log: first the facts, then the rows of every chain that a new
/// fact touches; far behind, both in bulk. One projector works in a data directory at a time.
public final class Projector: Sendable {
    let ledger: EnvironmentLedger
    /// Held for as long as this value lives.
    let lock: ProjectorLock
    private let current: Mutex<ProjectionsStore>
    /// What was found wrong with derived data and made again; people are told (`design.md` §3).
    public let remarks: [Remark]

    public typealias Progress = ProjectionProgress
    public typealias Report = @Sendable (Progress) -> Void

    /// Why derived data was made again.
    public enum Remark: Hashable, Sendable {
        /// It belonged to another log than this one (a restored backup, a fork), up to `position`.
        case diverged(position: Int64)
        /// The current file was deleted or replaced by hand.
        case gone(name: String)
        /// The current file was damaged.
        case damaged(name: String)
    }

    /// The current projections. Hold on to one store for one question.
    public var projections: ProjectionsStore { current.withLock { $0 } }

    private init(
        ledger: EnvironmentLedger, lock: ProjectorLock, projections: ProjectionsStore,
        remarks: [Remark]
    ) {
        self.ledger = ledger
        self.lock = lock
        current = Mutex(projections)
        self.remarks = remarks
    }

    /// Opens the current projections, or builds new ones when there are none, when they were
    /// built for another reducer, decoder or catalogue, or for another log, or are far behind.
    ///
    /// Nil while another process projects here.
    public static func open(
        _ ledger: EnvironmentLedger, report: @escaping Report = { _ in }
    ) async throws(StoreError) -> Projector? {
        let directory = ledger.directory
        let lock = try await Blocking.run { () throws(StoreError) in
            try ProjectorLock.take(directory: directory)
        }
        guard let lock else { return nil }
        for files in [ledger.factsFiles, ledger.projectionFiles] {
            files.removeUnfinished(holding: lock)
        }
        LogRestore.removeUnfinished(in: directory)
        try await ledger.reopenFacts()
        var remarks: [Remark] = []
        let facts = try await ledger.facts.checkpoint()
        if try await !isOfThisLog(ledger, facts) {
            remarks.append(.diverged(position: facts.position))
            try await ledger.beginFactsAnew(holding: lock)
        }
        let usable = try await usable(ledger, &remarks)
        let rebuild = Rebuild(ledger: ledger, lock: lock)
        let projections: ProjectionsStore
        if let usable {
            projections = usable
        } else {
            projections = try await rebuild.run(report: report)
        }
        return Projector(
            ledger: ledger, lock: lock, projections: projections, remarks: remarks)
    }

    /// The current projections, unless they were built for something else or are damaged.
    private static func usable(
        _ ledger: EnvironmentLedger, _ remarks: inout [Remark]
    ) async throws(StoreError) -> ProjectionsStore? {
        let files = ledger.projectionFiles
        guard let path = files.current() else {
            if let name = files.linkedName() { remarks.append(.gone(name: name)) }
            return nil
        }
        do throws(StoreError) {
            let store = try await Blocking.run { () throws(StoreError) in
                try ProjectionsStore(path: path)
            }
            let checkpoint = try await store.checkpoint()
            let isOfThisLog = try await isOfThisLog(ledger, checkpoint)
            if !isOfThisLog { remarks.append(.diverged(position: checkpoint.position)) }
            if isOfThisLog, try await store.matches(ledger.build) { return store }
            return nil
        } catch {
            guard error.isDamage else { throw error }
            remarks.append(.damaged(name: files.linkedName() ?? files.linkName))
            return nil
        }
    }

    /// A checkpoint that the log does not confirm belongs to another log.
    static func isOfThisLog(
        _ ledger: EnvironmentLedger, _ checkpoint: Checkpoint
    ) async throws(StoreError) -> Bool {
        guard checkpoint.position > 0 else { return true }
        return try await ledger.checkpoint(at: checkpoint.position) == checkpoint
    }

    // MARK: Catching up

    /// Applies every event up to the head found now; the head.
    @discardableResult
    public func catchUp(report: @escaping Report = { _ in }) async throws(StoreError) -> Int64 {
        let head = try await ledger.log.head().position
        let position = try await projections.checkpoint().position
        if BulkLimits.isFar(behind: head - position, head: head) || !projections.isInPlace {
            let built = try await Rebuild(ledger: ledger, lock: lock).run(report: report)
            current.withLock { $0 = built }
        }
        try await catchUpFacts(through: head, report: report)
        try await catchUpRows(through: head, report: report)
        return head
    }

    /// Decodes the events that the facts do not hold yet, one by one.
    private func catchUpFacts(
        through head: Int64, report: Report
    ) async throws(StoreError) {
        let facts = ledger.facts
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
            tell(Progress(.decode, position: position, head: head), report)
        }
    }

    private func catchUpRows(
        through head: Int64, report: Report
    ) async throws(StoreError) {
        let projections = projections
        var position = try await projections.checkpoint().position
        while position < head {
            let events = try await ledger.log.events(after: position, through: head)
            guard let last = events.last else { break }
            try await apply(events, to: projections)
            position = last.position
            tell(Progress(.apply, position: position, head: head), report)
        }
    }

    /// Folds the chains these events touch again and writes the rows that differ.
    private func apply(
        _ events: [RecordedEvent], to projections: ProjectionsStore
    ) async throws(StoreError) {
        guard let last = events.last else { return }
        var touched: Set<ChainId> = []
        for event in events {
            guard let id = event.attributes.chain else { continue }
            touched.insert(
                ChainId(bundleId: event.attributes.bundleId, originalTransactionId: id))
        }
        let facts = try await ledger.facts.facts(of: touched.sorted())
        let (environment, catalogue) = (ledger.environment, ledger.catalogue)
        let rows = try await Parallel.map(facts) { (entry) throws(StoreError) in
            ChainRows(entry.0, facts: entry.1, environment: environment, catalogue: catalogue)
        }
        try await projections.update(
            rows, checkpoint: Checkpoint(position: last.position, leafHash: last.leafHash))
    }

    private func tell(_ progress: Progress, _ report: Report) {
        lock.note(progress)
        report(progress)
    }

    /// Makes another file that was built for the same answers the current one, and catches it up.
    ///
    /// Throws `fileChanged` when it was built for other answers or belongs to another log.
    public func use(_ name: String) async throws(StoreError) {
        let files = ledger.projectionFiles
        let path = files.path(of: name)
        let store = try await Blocking.run { () throws(StoreError) in
            try ProjectionsStore(path: path)
        }
        let checkpoint = try await store.checkpoint()
        let isOfThisLog = try await Projector.isOfThisLog(ledger, checkpoint)
        guard try await store.matches(ledger.build), isOfThisLog else {
            throw StoreError(
                .fileChanged, path: path,
                reason:
                    "It was built by another reducer, for another catalogue or from another log.",
                remedy: "Run `subledger rebuild` instead.")
        }
        try files.use(path)
        current.withLock { $0 = store }
        try await catchUp()
    }
}

/// When derived data is far enough behind to be made in bulk (`design.md` §3).
public enum BulkLimits {
    /// More events than this: always.
    public static let behindEventCount: Int64 = 100_000
    /// More than this share of the log, in percent, too …
    public static let behindPercent: Int64 = 10
    /// … unless it is so little that one by one is quicker than a new file.
    public static let leastEventCount: Int64 = 10_000

    public static func isFar(behind: Int64, head: Int64) -> Bool {
        if behind > behindEventCount { return true }
        return behind > leastEventCount && behind * 100 > head * behindPercent
    }
}
