import Ledger
public import LedgerStore
public import SQLiteStore
import Synchronization

/// Brings what is derived up to the log: first the facts, then the rows of every chain that a new
/// fact touches; far behind, both in bulk. One projector works in a data directory at a time.
public final class Projector: Sendable {
    let ledger: EnvironmentLedger
    /// Held for as long as this value lives.
    let lock: ProjectorLock
    private let current: Mutex<ProjectionsStore>
    private let found: Mutex<[Remark]>
    /// Classes that many chains share.
    private let numbers: ClassNumbers?

    /// Whether the projections were built anew on opening, all of them.
    public let wasBuiltOnOpening: Bool

    /// What was found wrong with derived data and made again; people are told (`design.md` §3).
    public var remarks: [Remark] { found.withLock { $0 } }

    public typealias Progress = ProjectionProgress
    public typealias Report = @Sendable (Progress) -> Void
    /// Called between steps with the time that the last one took, and before what takes long: whether
    /// there is time left for that.
    package typealias Rest = @Sendable (Duration) async -> Bool
    /// What making everything in bulk is taken to last: as long as whoever shares the cores likes to
    /// hold it up for.
    static let bulkDuration: Duration = .seconds(60)

    /// Why derived data was made again.
    public enum Remark: Hashable, Sendable {
        /// It belonged to another log than this one (a restored backup, a fork), up to `position`.
        case diverged(position: Int64)
        /// The current file was deleted or replaced by hand.
        case gone(name: String)
        /// The current file was damaged.
        case damaged(name: String)
        /// The link named something that is no file of its kind. Nothing was written there.
        case foreign(link: String, target: String)
        /// The link was changed by hand to another file while somebody projected.
        case relinked(link: String, name: String)
        /// An event of the log cannot be read, its row or its evidence. Nothing is made again: its
        /// chain, where the row still names one, says so in its notices, and the others go on.
        case unreadable(position: Int64)

        /// One sentence.
        public var text: String {
            switch self {
            case .diverged(let position):
                "Derived data stood at position \(position) of another log than this one; it was"
                    + " rebuilt from this log."
            case .gone(let name): "\(name) was gone; \(Remark.mending(name))."
            case .damaged(let name): "\(name) was damaged; \(Remark.mending(name))."
            case .foreign(let link, let target):
                "\(link) named \(target), which is no file that belongs there; \(Remark.mending(link))."
            case .relinked(let link, let name):
                "\(link) was made to name another file by hand; \(name) was brought up to the log, and"
                    + " answers come from it."
            case .unreadable(let position):
                "Position \(position) of the log is damaged and was passed over: what it said is in no"
                    + " answer, and its chain has the notice unreadable. See `subledger audit"
                    + " verify`; restore the newest backup that verifies, which makes everything"
                    + " derived anew."
            }
        }

        private static func mending(_ name: String) -> String {
            name.hasPrefix("facts")
                ? "the facts were decoded from the log again"
                : "the projections were rebuilt from the log"
        }
    }

    /// The current projections. Hold on to one store for one question.
    public var projections: ProjectionsStore { current.withLock { $0 } }

    private init(
        ledger: EnvironmentLedger, lock: ProjectorLock, projections: ProjectionsStore,
        wasBuiltOnOpening: Bool, remarks: [Remark], keepsSums: Bool
    ) {
        numbers = keepsSums ? ClassNumbers() : nil
        self.ledger = ledger
        self.lock = lock
        self.wasBuiltOnOpening = wasBuiltOnOpening
        current = Mutex(projections)
        found = Mutex(remarks)
    }

    /// Opens the current projections, or builds new ones when there are none, when they were
    /// built for another reducer, decoder, catalogue or report zone, or for another log, or are far behind.
    ///
    /// Nil while another process projects here.
    public static func open(
        _ ledger: EnvironmentLedger, report: @escaping Report = { _ in }
    ) async throws(StoreError) -> Projector? {
        try await open(ledger, keepingSums: true, report: report)
    }

    /// - Parameter keepsSums: false leaves the sums of metrics as they are, to measure what they
    ///   cost; such a file is good for nothing else.
    package static func open(
        _ ledger: EnvironmentLedger, keepingSums keepsSums: Bool,
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
                remarks.append(.diverged(position: facts.position))
                try await ledger.beginFactsAnew(holding: lock)
            }
        } catch {
            guard error.asksForRebuild else { throw error }
            remarks.append(.damaged(name: ledger.factsFiles.linkedName() ?? ""))
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
        remarks = ledger.takeRemarks() + remarks
        remarks += ledger.log.takeUnreadablePositions().map { .unreadable(position: $0) }
        return Projector(
            ledger: ledger, lock: lock, projections: projections,
            wasBuiltOnOpening: usable == nil, remarks: remarks, keepsSums: keepsSums)
    }

    /// The current projections, unless they were built for something else or are damaged.
    private static func usable(
        _ ledger: EnvironmentLedger, _ remarks: inout [Remark]
    ) async throws(StoreError) -> ProjectionsStore? {
        let files = ledger.projectionFiles
        guard let path = files.current() else {
            if let loss = files.loss { remarks.append(loss) }
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
            guard error.asksForRebuild else { throw error }
            remarks.append(.damaged(name: files.linkedName() ?? files.linkName))
            return nil
        }
    }

    /// A checkpoint that the log does not confirm belongs to another log.
    package static func isOfThisLog(
        _ ledger: EnvironmentLedger, _ checkpoint: Checkpoint
    ) async throws(StoreError) -> Bool {
        try await ledger.witness.confirms(checkpoint)
    }

    // MARK: Catching up

    /// Applies every event up to the head found now; the position reached. Damaged derived data is made again.
    @discardableResult
    public func catchUp(report: @escaping Report = { _ in }) async throws(StoreError) -> Int64 {
        try await catchUp(resting: { _ in true }, report: report)
    }

    /// The same beside others who need the cores: `rest` holds it up between steps.
    @discardableResult
    package func catchUp(
        resting rest: @escaping Rest, report: @escaping Report
    ) async throws(StoreError) -> Int64 {
        defer { noteFound() }
        do throws(StoreError) { return try await catchUpOnce(rest, report) } catch {
            guard error.asksForRebuild, let path = error.path else { throw error }
            found.withLock { $0.append(.damaged(name: DerivedFiles.name(of: path))) }
            try await rebuild(fromLog: true, report: report)
            return try await catchUpOnce(rest, report)
        }
    }

    /// Makes all rows again from the facts (with `fromLog`: the facts, too), into a new file that
    /// becomes the current one.
    public func rebuild(
        fromLog: Bool = false, report: @escaping Report = { _ in }
    ) async throws(StoreError) {
        let built = try await Rebuild(ledger: ledger, lock: lock).run(
            fromLog: fromLog, report: report)
        current.withLock { $0 = built }
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
        if BulkLimits.isFar(behind: head - position, head: head) || !projections.isInPlace {
            // In bulk all cores are taken: who needs them for something else goes first, and whoever
            // is about to end does not begin with it.
            guard await rest(Projector.bulkDuration) else { return position }
            try await rebuild(report: report)
        }
        let lock = lock
        var steps = ProjectionSteps(ledger: ledger, projections: projections, numbers: numbers) {
            lock.note($0)
            report($0)
        }
        steps.rest = rest
        try await steps.run(through: head)
        return head
    }

    /// Makes another file that was built for the same answers the current one, and catches it up.
    ///
    /// Throws `noSuchFile` for what is no name of one, `fileChanged` when it was built for other answers or belongs to another log.
    public func use(_ name: String) async throws(StoreError) {
        let files = ledger.projectionFiles
        let path = try files.requiredPath(of: name)
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
        try await Blocking.run { () throws(StoreError) in try files.use(path) }
        current.withLock { $0 = store }
        try await catchUp()
    }
}

extension DerivedFiles {
    /// Why nothing is current, where a link is left: what to tell of it. Nil without one.
    var loss: Projector.Remark? {
        guard current() == nil, let name = linkedName() else { return nil }
        return isLinkForeign ? .foreign(link: linkName, target: name) : .gone(name: name)
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
