import AppStore
import Foundation
import Ledger
import LedgerStore
internal import SQLiteStore

/// Makes derived data in bulk (`design.md` §3): facts from the log where they are missing, and a
/// new projections file from the facts, which then takes the place of the current one.
struct Rebuild: Sendable {
    let ledger: EnvironmentLedger
    /// Shows that nobody else projects.
    let lock: ProjectorLock

    /// Brings the facts up to the log (with `fromLog`: makes all of them again), folds them into a
    /// new file, and switches to it; the new store. What the files before the last one took of the
    /// disk is given back.
    ///
    /// Stored facts that cannot be read are made again from the log, asked to or not.
    ///
    /// Interrupted at any moment, it leaves the old file current and nothing to clean up.
    func run(
        fromLog: Bool = false, report: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> ProjectionsStore {
        do throws(StoreError) { return try await runOnce(fromLog: fromLog, report) } catch {
            guard error.asksForRebuild, !fromLog else { throw error }
            return try await runOnce(fromLog: true, report)
        }
    }

    private func runOnce(
        fromLog: Bool, _ report: @escaping Projector.Report
    ) async throws(StoreError) -> ProjectionsStore {
        let tree = try await ledger.log.tree()
        if let checkpoint = try await ledger.checkpoint(at: tree.size, of: tree) {
            try await bringFacts(to: checkpoint, fromLog: fromLog, report)
            await Blocking.run { FreedMemory.giveBack() }
        } else if fromLog {
            try await ledger.beginFactsAnew(holding: lock)
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
        // A service goes on for months after it.
        await Blocking.run { FreedMemory.giveBack() }
        return store
    }

    // MARK: Facts

    private func bringFacts(
        to checkpoint: Checkpoint, fromLog: Bool, _ report: @escaping Projector.Report
    ) async throws(StoreError) {
        // Facts that are to be made again need not be readable.
        let start = fromLog ? 0 : try await ledger.facts.checkpoint().position
        let behind = checkpoint.position - start
        guard fromLog || behind > 0 else { return }
        let build = FactsBuild(log: ledger.log, directory: ledger.directory)
        let lock = lock
        let told: FactsBuild.Report = { done, all in
            let progress = ProjectionProgress(
                .decode, position: checkpoint.position - all + done, head: checkpoint.position)
            lock.note(progress)
            report(progress)
        }
        // Adding more than there is costs more than making all of it again in order.
        guard fromLog || behind > start else {
            return try await build.extend(ledger.facts, through: checkpoint, report: told)
        }
        let path = ledger.factsFiles.newPath()
        try await build.run(path: path, through: checkpoint, report: told)
        try await ledger.useFacts(path, holding: lock)
        await dropSuperseded(ledger.factsFiles, keeping: 0)
    }

    // MARK: Rows

    private func fold(
        into path: String, _ report: @escaping Projector.Report
    ) async throws(StoreError) {
        // Facts only grow, and only the holder of the lock adds any.
        let facts = ledger.facts
        let checkpoint = try await facts.checkpoint()
        let (build, directory, days) = (ledger.build, ledger.directory, ledger.days)
        let file = try await Blocking.run { () throws(StoreError) in
            try ProjectionsBuild(path: path, build: build, directory: directory, days: days)
        }
        let lock = lock
        do throws(StoreError) {
            try await ChainFold(
                facts: facts, environment: ledger.environment, catalogue: ledger.catalogue
            ).runEncoding(into: file.sums) { (rows, factCount) throws(StoreError) in
                try await Blocking.run { () throws(StoreError) in try file.append(rows) }
                let progress = ProjectionProgress(
                    .fold, position: min(factCount, checkpoint.position),
                    head: checkpoint.position)
                lock.note(progress)
                report(progress)
            }
            let completeness = try await CompletenessFold(ledger)
                .whole(through: checkpoint.position)
            try await Blocking.run { () throws(StoreError) in
                try file.finish(checkpoint: checkpoint, completeness: completeness)
            }
        } catch {
            await Blocking.run { file.abandon() }
            throw error
        }
    }

    /// Gives back the room of files that are neither current nor the newest others, unless somebody
    /// has them open.
    private func dropSuperseded(_ files: DerivedFiles, keeping count: Int = 1) async {
        let lock = lock
        await Blocking.run {
            let current = files.current()
            let others = files.names().filter { files.path(of: $0) != current }
            for name in others.dropLast(count) {
                // What cannot be dropped now is dropped after the next rebuild.
                _ = try? files.drop(name, holding: lock)
            }
        }
    }
}

extension EnvironmentLedger {
    /// The checkpoint that derived data at `position` has; nil when the log holds no such event.
    ///
    /// - Parameter tree: the log's, for what is derived from it; nil for a mere place.
    package func checkpoint(
        at position: Int64, of tree: CompactRange? = nil
    ) async throws(StoreError) -> Checkpoint? {
        guard position > 0 else { return nil }
        let event = try await log.events(
            after: position - 1, through: position, limit: 1, damaged: .marked
        ).first
        return event.map { Checkpoint(position: $0.position, leafHash: $0.leafHash, tree: tree) }
    }
}
