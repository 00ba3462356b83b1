import Foundation
import LedgerStore
internal import SQLiteStore

/// Builds derived data in bulk (`Log.md` §3): missing facts from the log, then a new projections
/// file from the facts, which replaces the current one.
struct Rebuild: Sendable {
    let ledger: EnvironmentLedger
    /// Proof that no other process projects.
    let lock: ProjectorLock
    /// False ends it with `closed`: a service that stops does not wait for it.
    var goesOn: @Sendable () -> Bool = { true }

    /// Catches the facts up with the log (with `fromLog`: decodes all of them again), folds them
    /// into a new file, and switches to it; returns the new store. Deletes all files before the
    /// previous one.
    ///
    /// Unreadable facts are decoded again from the log even without `fromLog`.
    ///
    /// Interrupted at any moment, it leaves the old file current and nothing to clean up.
    func run(
        fromLog: Bool = false, report: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> ProjectionsStore {
        do throws(StoreError) { return try await runOnce(fromLog: fromLog, report) } catch {
            guard error.asksForRebuild, !fromLog else { throw error }
            if let path = error.path { ledger.note(.damaged(name: DerivedFiles.name(of: path))) }
            return try await runOnce(fromLog: true, report)
        }
    }

    private func runOnce(
        fromLog: Bool, _ report: @escaping Projector.Report
    ) async throws(StoreError) -> ProjectionsStore {
        let tree = try await ledger.log.tree()
        if let checkpoint = try await ledger.checkpoint(at: tree.size, of: tree) {
            try await bringFacts(to: checkpoint, of: tree, fromLog: fromLog, report)
            await giveBackMemory(after: tree.size)
        } else if fromLog {
            try await ledger.recreateFacts(holding: lock)
        }
        let files = ledger.projectionFiles
        let path = files.newPath()
        try await fold(into: path, report)
        let store = try await Blocking.run { () throws(StoreError) in
            let store = try ProjectionsStore(path: path)
            try files.use(path)
            return store
        }
        await dropSuperseded(files)
        // The service may run for months afterwards.
        await giveBackMemory(after: tree.size)
        return store
    }

    private static let stopped = StoreError(
        .closed, reason: "The rebuild ended because the service stops.",
        remedy: "Start the service: it rebuilds from the beginning.")

    private func giveBackMemory(after eventCount: Int64) async {
        guard eventCount >= FreedMemory.smallestEventCount else { return }
        await Blocking.run { FreedMemory.giveBack() }
    }

    // MARK: Facts

    private func bringFacts(
        to checkpoint: ProjectionCursor, of tree: CompactRange, fromLog: Bool,
        _ report: @escaping Projector.Report
    ) async throws(StoreError) {
        // Facts that will be rebuilt need not be readable.
        var start = fromLog ? 0 : try await ledger.facts.checkpoint().position
        // Facts of erased events are replaced by those that the erasure carries.
        let isErased = try await ledger.hasErasures(after: start, through: checkpoint.position)
        if isErased { start = 0 }
        let fromLog = fromLog || isErased
        let behind = checkpoint.position - start
        guard fromLog || behind > 0 else { return }
        let (lock, goesOn) = (lock, goesOn)
        let reported: FactsBuild.Report = { (done, all) throws(StoreError) in
            guard goesOn() else { throw Rebuild.stopped }
            let progress = ProjectionProgress(
                .decode, position: checkpoint.position - all + done, head: checkpoint.position)
            lock.note(progress)
            report(progress)
        }
        // Adding more than exists costs more than rebuilding everything in order.
        guard fromLog || behind > start else {
            return try await ledger.addFacts(through: checkpoint.position, of: tree) {
                (position) throws(StoreError) in try reported(position - start, behind)
            }
        }
        let path = ledger.factsFiles.newPath()
        try await FactsBuild(log: ledger.log, directory: ledger.directory).run(
            path: path, through: checkpoint, report: reported)
        try await ledger.useFacts(path, holding: lock)
        await dropSuperseded(ledger.factsFiles, keeping: 0)
    }

    // MARK: Rows

    private func fold(
        into path: String, _ report: @escaping Projector.Report
    ) async throws(StoreError) {
        // Facts only grow, and only the holder of the lock adds to them.
        let facts = ledger.facts
        let checkpoint = try await facts.checkpoint()
        let (build, days) = (ledger.build, ledger.days)
        let file = try await Blocking.run { () throws(StoreError) in
            try ProjectionsBuild(path: path, build: build, days: days)
        }
        let (lock, goesOn) = (lock, goesOn)
        func reached(
            _ phase: ProjectionProgress.Phase, _ position: Int64
        ) throws(StoreError) {
            guard goesOn() else { throw Rebuild.stopped }
            let progress = ProjectionProgress(phase, position: position, head: checkpoint.position)
            lock.note(progress)
            report(progress)
        }
        do throws(StoreError) {
            let completeness = try await CompletenessFold(ledger: ledger)
                .whole(through: checkpoint.position) { (position) throws(StoreError) in
                    try reached(.decode, position)
                }
            try await ChainFold(
                facts: facts, environment: ledger.environment, catalogue: ledger.catalogue
            ).runEncoding { (rows, factCount) throws(StoreError) in
                try await Blocking.run { () throws(StoreError) in try file.append(rows) }
                try reached(.fold, min(factCount, checkpoint.position))
            }
            try await Blocking.run { () throws(StoreError) in
                try file.finish(checkpoint: checkpoint, completeness: completeness)
            }
        } catch {
            await Blocking.run { file.abandon() }
            throw error
        }
    }

    /// Deletes files that are neither current nor the newest others, unless a process has them
    /// open.
    private func dropSuperseded(_ files: DerivedFiles, keeping count: Int = 1) async {
        let lock = lock
        await Blocking.run {
            for name in files.otherNames().dropLast(count) {
                // A file that cannot be deleted now is deleted after the next rebuild.
                _ = try? files.drop(name, holding: lock)
            }
        }
    }
}

extension EnvironmentLedger {
    /// The checkpoint of derived data at `position`; nil when the log holds no such event.
    ///
    /// - Parameter tree: the log's tree for a checkpoint to derive data from; nil for a mere
    ///   position.
    package func checkpoint(
        at position: Int64, of tree: CompactRange? = nil
    ) async throws(StoreError) -> ProjectionCursor? {
        guard position > 0 else { return nil }
        return try await log.row(at: position).map {
            ProjectionCursor(position: $0.position, leafHash: $0.leafHash, tree: tree)
        }
    }
}
