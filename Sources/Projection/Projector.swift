public import LedgerStore
public import SQLiteStore
import Synchronization

/// Catches derived data up with the log: first the facts, then the rows of every chain that a new
/// fact touches; both in bulk when far behind. A data directory has one projector at a time.
public final class Projector: Sendable {
    let ledger: EnvironmentLedger
    /// Held for the lifetime of this value.
    let lock: ProjectorLock
    private let current: Mutex<ProjectionsStore>
    private let found: Mutex<[Remark]>
    /// Whether files that may hold erased data are to be removed; set until none is left.
    private let hasErased: Mutex<Bool>
    /// Product classes that chains share.
    private let numbers: ClassNumbers?
    /// Asked during every bulk rebuild.
    private let goesOn: @Sendable () -> Bool

    /// Whether opening rebuilt all projections.
    public let wasBuiltOnOpening: Bool

    /// Problems of derived data that were repaired; reported to operators (`Log.md` §3).
    public var remarks: [Remark] { found.withLock { $0 } }

    public typealias Progress = ProjectionProgress
    public typealias Report = @Sendable (Progress) -> Void
    /// Called after each step with its duration, and before a bulk rebuild with none; returns
    /// whether to go on.
    public typealias Rest = @Sendable (Duration) async -> Bool

    /// Why derived data was rebuilt.
    public enum Remark: Hashable, Sendable {
        /// It belonged to another log (a restored backup, a fork), up to `position`.
        case diverged(name: String, position: Int64)
        /// The current file was deleted or replaced by hand.
        case gone(name: String)
        /// The current file was damaged.
        case damaged(name: String)
        /// The link named a file of another kind; that file was not written to.
        case foreign(link: String, target: String)
        /// The link was changed by hand to another file during projection.
        case relinked(link: String, name: String)
        /// The link named a file of another build while this process projected.
        case otherRules(link: String, target: String)
        /// An event of the log cannot be read, its row or its evidence. Nothing is rebuilt: its
        /// chain, where the row still names one, reports this in its notices, and the other chains
        /// are unaffected.
        case unreadable(position: Int64)
        /// The log had events, and `operations.sqlite`, which is no derived data, was missing.
        case operationsGone

        /// The remark for operators.
        public var text: String {
            switch self {
            case .diverged(let name, let position):
                "\(name) was at position \(position) of another log (a restored backup, or a fork?)."
                    + " It was rebuilt from this log; events that only the other one held are not"
                    + " in any answer."
            case .gone(let name): "\(name) was missing; \(Remark.mending(name))."
            case .damaged(let name): "\(name) was damaged; \(Remark.mending(name))."
            case .foreign(let link, let target):
                "\(link) named \(target), which does not belong there; \(Remark.mending(link))."
            case .relinked(let link, let name):
                "\(link) was changed by hand to another file; \(name) was caught up with"
                    + " the log, and answers come from it."
            case .otherRules(let link, let target):
                "\(link) named \(target), which was built by other rules (catalogue, report time"
                    + " zone or release); \(Remark.mending(link)). Restart the process that built"
                    + " it (`subledger mcp`?) with this release and configuration."
            case .unreadable(let position):
                "Position \(position) of the log is damaged and was skipped: its content is in no"
                    + " answer, and its chain has the notice unreadable. See `subledger audit"
                    + " verify`; restore the newest backup that verifies, which rebuilds all"
                    + " derived data."
            case .operationsGone:
                "\(OperationsStore.fileName) was missing or empty, and a new one was begun. Lost"
                    + " with it are quarantined inputs, webhook cursors and waiting deliveries, and"
                    + " signed checkpoints that no backup has. Stop every process, remove the new"
                    + " file with its -wal and -shm, and put the old ones back; or deliver missed"
                    + " changes by `subledger webhooks redeliver NAME --from P --to Q`."
            }
        }

        private static func mending(_ name: String) -> String {
            name.hasPrefix("facts")
                ? "the facts are decoded from the log again"
                : "the projections are rebuilt from the log"
        }
    }

    /// The current projections. Use one store for the whole of one query.
    public var projections: ProjectionsStore { current.withLock { $0 } }

    private init(
        ledger: EnvironmentLedger, lock: ProjectorLock, projections: ProjectionsStore,
        wasBuiltOnOpening: Bool, remarks: [Remark], keepsSums: Bool,
        goesOn: @escaping @Sendable () -> Bool, hasErased: Bool
    ) {
        self.goesOn = goesOn
        self.hasErased = Mutex(hasErased)
        numbers = keepsSums ? ClassNumbers() : nil
        self.ledger = ledger
        self.lock = lock
        self.wasBuiltOnOpening = wasBuiltOnOpening
        current = Mutex(projections)
        found = Mutex(remarks)
    }

    /// Opens the current projections, or builds new ones when there are none, when they were built
    /// for another reducer, decoder, catalogue, report zone or log, or when they are far behind.
    ///
    /// Nil while another process projects here.
    ///
    /// - `replacesOthers`: false leaves sound projections of this log that were built by other
    ///   rules, and returns nil.
    /// - `keepsSums`: false leaves the sums of metrics unchanged, to measure their cost;
    ///   such a file has no other use.
    /// - `goesOn`: asked during every bulk rebuild; false ends it with `closed`.
    public static func open(
        _ ledger: EnvironmentLedger, replacingOthers replacesOthers: Bool = true,
        keepingSums keepsSums: Bool = true,
        goesOn: @escaping @Sendable () -> Bool = { true },
        report: @escaping Report = { _ in }
    ) async throws(StoreError) -> Projector? {
        let directory = ledger.directory
        let lock = try await Blocking.run { () throws(StoreError) in
            try ProjectorLock.take(directory: directory)
        }
        guard let lock else { return nil }
        await Blocking.run {
            for files in [ledger.factsFiles, ledger.projectionFiles] {
                files.removeUnfinished(holding: lock)
            }
            LogRestore.removeUnfinished(in: directory)
        }
        try await ledger.reopenFacts(holding: lock)
        var remarks: [Remark] = []
        do throws(StoreError) {
            let facts = try await ledger.facts.checkpoint()
            if try await !isOfThisLog(ledger, facts) {
                let name = DerivedFiles.name(of: ledger.facts.path)
                remarks.append(.diverged(name: name, position: facts.position))
                try await ledger.recreateFacts(holding: lock)
            }
        } catch {
            guard error.asksForRebuild else { throw error }
            remarks.append(.damaged(name: ledger.factsFiles.linkedName() ?? ""))
            try await ledger.recreateFacts(holding: lock)
        }
        let (usable, hasOtherRules) = try await usable(ledger, &remarks)
        if hasOtherRules, !replacesOthers { return nil }
        let rebuild = Rebuild(ledger: ledger, lock: lock, goesOn: goesOn)
        let projections: ProjectionsStore
        if let usable {
            projections = usable
        } else {
            projections = try await rebuild.run(report: report)
        }
        remarks = ledger.takeRemarks() + remarks
        remarks += ledger.log.takeUnreadablePositions().map { .unreadable(position: $0) }
        return Projector(
            ledger: ledger, lock: lock, projections: projections,
            wasBuiltOnOpening: usable == nil, remarks: remarks, keepsSums: keepsSums,
            goesOn: goesOn, hasErased: try await ledger.hasErasures(after: 0, through: .max))
    }

    /// The current projections, unless they are damaged or were built for another log or by other
    /// rules.
    private static func usable(
        _ ledger: EnvironmentLedger, _ remarks: inout [Remark]
    ) async throws(StoreError) -> (store: ProjectionsStore?, hasOtherRules: Bool) {
        let files = ledger.projectionFiles
        guard let path = files.current() else {
            if let loss = files.loss { remarks.append(loss) }
            return (nil, false)
        }
        do throws(StoreError) {
            let store = try await ProjectionsStore.open(path)
            let checkpoint = try await store.checkpoint()
            guard try await isOfThisLog(ledger, checkpoint) else {
                let name = DerivedFiles.name(of: path)
                remarks.append(.diverged(name: name, position: checkpoint.position))
                return (nil, false)
            }
            let isOfBuild = try await store.matches(ledger.build)
            return (isOfBuild ? store : nil, !isOfBuild)
        } catch {
            guard error.asksForRebuild else { throw error }
            remarks.append(.damaged(name: files.linkedName() ?? files.linkName))
            return (nil, false)
        }
    }

    /// Whether the log confirms the checkpoint; otherwise it belongs to another log.
    package static func isOfThisLog(
        _ ledger: EnvironmentLedger, _ checkpoint: ProjectionCursor
    ) async throws(StoreError) -> Bool {
        try await ledger.witness.confirms(checkpoint)
    }

    // MARK: Catching up

    /// Applies every event up to the current head and returns the position reached. Rebuilds
    /// damaged derived data.
    ///
    /// - `rest`: called between steps, to yield the cores.
    @discardableResult
    public func catchUp(
        resting rest: @escaping Rest = { _ in true }, report: @escaping Report = { _ in }
    ) async throws(StoreError) -> Int64 {
        defer { noteFound() }
        do throws(StoreError) { return try await catchUpOnce(rest, report) } catch {
            guard error.asksForRebuild, let path = error.path else { throw error }
            found.withLock { $0.append(.damaged(name: DerivedFiles.name(of: path))) }
            try await rebuild(fromLog: true, report: report)
            return try await catchUpOnce(rest, report)
        }
    }

    /// Rebuilds all rows from the facts (with `fromLog`: the facts, too) in a new file that becomes
    /// the current one.
    public func rebuild(
        fromLog: Bool = false, report: @escaping Report = { _ in }
    ) async throws(StoreError) {
        let built = try await Rebuild(ledger: ledger, lock: lock, goesOn: goesOn).run(
            fromLog: fromLog, report: report)
        current.withLock { $0 = built }
        let isErased = try await ledger.hasErasures(after: 0, through: .max)
        hasErased.withLock { $0 = isErased }
        noteFound()
    }

    private func noteFound() {
        let remarks = ledger.takeRemarks()
        let positions = ledger.log.takeUnreadablePositions()
        found.withLock { $0 += remarks + positions.map { .unreadable(position: $0) } }
    }

    private func catchUpOnce(
        _ rest: @escaping Rest, _ report: @escaping Report
    ) async throws(StoreError) -> Int64 {
        try await ledger.reopenFacts(holding: lock)
        let head = try await ledger.log.head().position
        let position = min(
            try await projections.checkpoint().position,
            try await ledger.facts.checkpoint().position)
        let isErased = try await ledger.hasErasures(after: position, through: head)
        if isErased || BulkLimits.isFar(behind: head - position, head: head)
            || !projections.isInPlace
        {
            // A stopping service does not start one.
            guard await rest(.zero) else { return position }
            try await rebuild(fromLog: isErased, report: report)
        }
        await dropErased()
        let lock = lock
        var steps = ProjectionSteps(ledger: ledger, projections: projections, numbers: numbers) {
            lock.note($0)
            report($0)
        }
        steps.rest = rest
        try await steps.run(through: head)
        return head
    }

    /// Removes every derived file but the current ones once the log erased something: they belong
    /// to the time before it. A file that a query has open is left for the next call.
    ///
    /// Returns the names of those left.
    @discardableResult
    public func dropErased() async -> [String] {
        guard hasErased.withLock({ $0 }) else { return [] }
        let left = await Projector.dropOthers(of: ledger, holding: lock)
        if left.isEmpty { hasErased.withLock { $0 = false } }
        return left
    }

    /// Removes every derived file but the current ones. A file that a query has open is left.
    ///
    /// Returns the names of those left.
    public static func dropOthers(
        of ledger: EnvironmentLedger, holding lock: ProjectorLock
    ) async -> [String] {
        let kinds = [ledger.factsFiles, ledger.projectionFiles]
        return await Blocking.run {
            kinds.flatMap { files in
                files.otherNames().filter { (try? files.drop($0, holding: lock)) != true }
            }
        }
    }

    /// Makes another file of the same build the current one and catches it up.
    ///
    /// Throws `noSuchFile` when `name` is not the name of a projections file, `fileChanged` when
    /// the file has another build or belongs to another log.
    public func use(_ name: String) async throws(StoreError) {
        let files = ledger.projectionFiles
        let path = try files.requiredPath(of: name)
        let store = try await ProjectionsStore.open(path)
        let checkpoint = try await store.checkpoint()
        let isOfThisLog = try await Projector.isOfThisLog(ledger, checkpoint)
        guard try await store.matches(ledger.build), isOfThisLog else {
            throw StoreError(
                .fileChanged, path: path,
                reason:
                    "It was built by another reducer, for another catalogue or from another log.",
                remedy: "Run `subledger rebuild` instead.")
        }
        try await Blocking.run { () throws(StoreError) in try files.use(path) }
        current.withLock { $0 = store }
        try await catchUp()
    }
}

extension DerivedFiles {
    /// Why no file is current although a link exists; nil without a link.
    var loss: Projector.Remark? {
        guard current() == nil, let name = linkedName() else { return nil }
        return isLinkForeign ? .foreign(link: linkName, target: name) : .gone(name: name)
    }
}

/// Thresholds for rebuilding derived data in bulk (`Log.md` §3).
public enum BulkLimits {
    /// Behind by more events than this: always in bulk.
    public static let behindEventCount: Int64 = 100_000
    /// Behind by more than this percentage of the log: in bulk, too …
    public static let behindPercent: Int64 = 10
    /// … unless there are so few events that applying them is faster than a new file.
    public static let leastEventCount: Int64 = 10_000

    public static func isFar(behind: Int64, head: Int64) -> Bool {
        if behind > behindEventCount { return true }
        return behind > leastEventCount && behind * 100 > head * behindPercent
    }
}
