import AppStore
import Foundation
public import Ledger
public import LedgerStore
public import SQLiteStore

/// Decodes and folds the whole log again, independently of stored derived data, and reports the
/// differences of the current projections: damage, or what another reducer, decoder or catalogue
/// would change.
public struct RebuildCheck: Sendable {
    private let ledger: EnvironmentLedger
    /// Keeps other processes from projecting meanwhile.
    private let lock: ProjectorLock

    /// A chain whose stored rows differ from those of its evidence.
    public struct Difference: Sendable, Hashable {
        public let chain: ChainId
        /// `table.column` for each column that differs, `table` where rows are missing or surplus,
        /// `facts` where the stored facts differ; `missing` or `surplus` for a whole chain.
        public package(set) var columns: [String]
    }

    /// The result. `differences` holds the first differences in chain order; `count` is their total
    /// number.
    public struct Report: Sendable {
        public private(set) var differences: [Difference] = []
        /// The index of each listed chain.
        private(set) var indices: [ChainId: Int] = [:]
        /// Hashes of the differing chains that are not listed, to count each once. Two chains with
        /// equal hashes count as one.
        private(set) var unlisted: Set<Int> = []
        public var count: Int { differences.count + unlisted.count }
        /// Findings about the files apart from the rows of chains: tables with rows of no chain,
        /// `schema` for other tables or views, tables of sums that do not match the contributions,
        /// `completeness` if it differs, the name of a file that SQLite finds inconsistent.
        public var fileFindings: [String] = []
        /// SQLite's findings about inconsistent files, by name.
        public var faults: [String: String] = [:]
        /// The last position compared: the projections' checkpoint.
        public let position: Int64
        /// The build of the compared file, nil when it does not state one, and the build it would
        /// have now.
        public let stored: ProjectionsStore.Build?
        public let expected: ProjectionsStore.Build

        /// Notes a chain whose stored facts differ from the decoded ones.
        mutating func noteFacts(of chain: ChainId) {
            guard let index = indices[chain] else { return note(chain, ["facts"]) }
            differences[index].columns.append("facts")
        }

        mutating func note(fault: String, of file: String) {
            fileFindings.append(file)
            faults[file] = fault
        }

        mutating func note(_ chain: ChainId, _ columns: [String]) {
            guard differences.count < RebuildCheck.maximumDifferenceCount else {
                unlisted.insert(chain.hashValue)
                return
            }
            indices[chain] = differences.count
            differences.append(Difference(chain: chain, columns: columns))
        }
    }

    /// Maximum differences listed individually.
    public static let maximumDifferenceCount = 1_000

    public init(_ projector: Projector) {
        ledger = projector.ledger
        lock = projector.lock
    }

    /// A check for projections of another build, which a projector would replace before they could
    /// be compared; nil when the current ones are of this build, or there are none.
    ///
    /// Throws `fileLocked` while another process projects here.
    public static func ofAnotherBuild(
        _ ledger: EnvironmentLedger
    ) async throws(StoreError) -> RebuildCheck? {
        guard let path = ledger.projectionFiles.current() else { return nil }
        let store = try await ProjectionsStore.open(path)
        guard try await !store.matches(ledger.build) else { return nil }
        let directory = ledger.directory
        let lock = try await Blocking.run { () throws(StoreError) in
            try ProjectorLock.take(directory: directory)
        }
        guard let lock else {
            throw StoreError(
                .fileLocked, path: directory, reason: "Another process projects here.",
                remedy: "Wait for it to finish, or end it; then try again.")
        }
        return RebuildCheck(ledger: ledger, lock: lock)
    }

    private init(ledger: EnvironmentLedger, lock: ProjectorLock) {
        self.ledger = ledger
        self.lock = lock
    }

    /// Compares the current projections with the log.
    ///
    /// Throws `noSuchFile` when there are none, `fileChanged` when they belong to another log or
    /// have other columns, `diskFull` or `ioError` of the scratch files.
    public func run(
        report emit: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> Report {
        let files = ledger.projectionFiles
        let path = files.current() ?? files.path(of: files.linkName)
        let (live, stored) = try await Blocking.run { () throws(StoreError) in
            (try ProjectionsStore(path: path), try StoredChains(path: path))
        }
        defer { stored.close() }
        let checkpoint = try await live.checkpoint()
        guard try await Projector.isOfThisLog(ledger, checkpoint) else {
            throw StoreError(
                .fileChanged, path: path, reason: "The projections belong to another log.",
                remedy: "Run `subledger rebuild`.")
        }
        var report = Report(
            position: checkpoint.position, stored: try await live.build(), expected: ledger.build)
        let scratch = try scratchDirectory()
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let facts = try await facts(scratch, checkpoint, emit)
        let walk = PagedWalk<ChainRows, ChainId> { after async throws(StoreError) in
            let page = try await stored.page(after: after)
            return page.last.map { (page, $0.chain) }
        }
        try await compare(facts, walk, into: &report, emit)
        var found = report
        // Answers are folded from the stored facts, so these are checked, too. After a change of
        // the decoder there are none of this one yet.
        if try await ledger.facts.checkpoint().position >= checkpoint.position {
            try await facts.compare(with: ledger.facts, through: checkpoint.position) { chain in
                found.noteFacts(of: chain)
            }
        }
        if found.stored == found.expected {
            found.fileFindings = try await Blocking.run { () throws(StoreError) in
                try stored.findings()
            }
            let (path, days) = (path, ledger.days)
            found.fileFindings += try await Blocking.run { () throws(StoreError) in
                try MovementCheck.findings(path: path, days: days, directory: scratch)
            }
            let expected = try await CompletenessFold(ledger: ledger)
                .whole(through: checkpoint.position) {
                    note(ProjectionProgress(.decode, position: $0, head: checkpoint.position), emit)
                }
            if try await live.completeness() != expected {
                found.fileFindings.append("completeness")
            }
        }
        // The comparison reads rows along one index; queries use others.
        for file in [path, ledger.facts.path] {
            let fault = try await Blocking.run { () throws(StoreError) in
                try DerivedFiles.fault(in: file)
            }
            if let fault { found.note(fault: fault, of: DerivedFiles.name(of: file)) }
        }
        return found
    }

    private func scratchDirectory() throws(StoreError) -> String {
        let files = ledger.projectionFiles
        files.removeScratch(holding: lock)
        return try files.makeScratch(holding: lock)
    }

    /// The whole log decoded again, up to the checkpoint.
    private func facts(
        _ scratch: String, _ checkpoint: ProjectionCursor, _ emit: @escaping Projector.Report
    ) async throws(StoreError) -> FactsStore {
        let path = "\(scratch)/facts.sqlite"
        try await FactsBuild(log: ledger.log, directory: scratch).run(
            path: path, through: checkpoint
        ) { done, all in
            note(ProjectionProgress(.decode, position: done, head: all), emit)
        }
        return try await FactsStore.open(path)
    }

    private func note(_ progress: ProjectionProgress, _ emit: Projector.Report) {
        lock.note(progress)
        emit(progress)
    }

    private func compare(
        _ facts: FactsStore, _ walk: PagedWalk<ChainRows, ChainId>, into report: inout Report,
        _ emit: @escaping Projector.Report
    ) async throws(StoreError) {
        var (found, walk) = (report, walk)
        let head = report.position
        try await ChainFold(
            facts: facts, environment: ledger.environment, catalogue: ledger.catalogue
        ).run { (rows, factCount) throws(StoreError) in
            for expected in rows {
                while let surplus = try await walk.next(where: { $0.chain < expected.chain }) {
                    found.note(surplus.chain, ["surplus"])
                }
                guard let actual = try await walk.next(where: { $0.chain == expected.chain }) else {
                    found.note(expected.chain, ["missing"])
                    continue
                }
                let columns = expected.differences(from: actual)
                if !columns.isEmpty { found.note(expected.chain, columns) }
            }
            note(ProjectionProgress(.fold, position: min(factCount, head), head: head), emit)
        }
        while let surplus = try await walk.next() {
            found.note(surplus.chain, ["surplus"])
        }
        report = found
    }
}
