import AppStore
internal import LedgerStore
internal import Projection
internal import SQLiteStore
import Synchronization

/// Keeps one environment's projections at the end of the log while the service runs.
///
/// Holds the projector's lock while there is work, and releases it when idle, or between two rounds
/// when a command requests it (`ProjectorHandover`), so that `rebuild` and `projections use` work
/// while the service runs. While another process projects, answers come from its files.
struct ProjectionLoop: Sendable {
    let served: ServedLedger
    /// False for a process beside the service, which gives way to projections of other rules.
    var isServing = true
    /// Finishes after the writers for which the files stay open; nil where there are none.
    var otherWriters: AsyncStream<Void>?
    /// Events of a log that is rebuilt although the service stops: applying so many would take as
    /// long.
    var shortLogCount = BulkLimits.leastEventCount
    /// Waits before a bulk rebuild that failed begins again; nil for `waitToRebuild`.
    var waiting: (@Sendable (Duration) async -> Void)?

    /// Poll interval of the log and the links without a wake-up: other processes append, rebuild
    /// and switch files, too.
    static let pollInterval: Duration = .milliseconds(250)
    /// The same where other nodes append: what they acknowledged is then answered here, too.
    static let sharedPollInterval: Duration = .milliseconds(50)
    /// Wait after a failure; doubles up to `longestPause`.
    static let shortestPause: Duration = .milliseconds(250)
    static let longestPause: Duration = .seconds(10)
    /// The same for a log in a database, which is back as soon as it can be reached.
    static let longestSharedPause: Duration = .milliseconds(500)
    /// The same after a bulk rebuild: the next one reads the whole log again, which nodes share.
    static let longestRebuildPause: Duration = .seconds(300)
    /// Time without changes after which the lock is released.
    static let idleLimit: Duration = .seconds(1)
    /// Interval of write-ahead log checkpoints.
    static let checkpointInterval: Duration = .seconds(30)
    /// Interval at which files of the time before an erasure that a reader has open are looked for.
    static let erasedFilesInterval: Duration = .seconds(5)

    /// Interval at which a node notes that it runs.
    static let noteInterval: Duration = .seconds(5)
    /// Silence after which a node counts as stopped: three notes.
    static let nodeSilenceMilliseconds: Int64 = 15_000

    var ledger: EnvironmentLedger { served.ledger }

    /// Whether a bulk rebuild continues. Each call also sets `Health.isRebuilding`.
    private var goesOn: @Sendable () -> Bool {
        { [served, shortLogCount] in
            served.health.withLock { $0.isRebuilding = true }
            return !served.isStopping || served.head <= shortLogCount
        }
    }

    /// Whether projections of other rules are replaced: two processes would otherwise replace each
    /// other's without end. One that does not serve replaces them only before its first state.
    private var replacesOthers: Bool {
        isServing || served.board.snapshot == nil && served.board.refusedPath == nil
    }

    /// Runs until the service stops; then projects the rest of the log, unless that would take
    /// long, and checkpoints the files.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await served.tryWhileObstructed() }
            group.addTask { await checkpointRegularly() }
            if let operations = ledger.operations as? any SharedOperations {
                group.addTask { await noteRegularly(operations) }
            }
            await project()
            group.cancelAll()
        }
    }

    private func project() async {
        await publishCurrent()
        let wake = served.wake
        (ledger.log as? any SharedLog)?.onAppend { wake.raise() }
        let interval =
            ledger.isShared ? ProjectionLoop.sharedPollInterval : ProjectionLoop.pollInterval
        var projector: Projector?
        var reportedLoss: String?
        var (idle, pause) = (Duration.zero, ProjectionLoop.shortestPause)
        while !served.isStopping, !Task.isCancelled {
            let (began, file) = (ContinuousClock.now, ledger.projectionFiles.current())
            served.health.withLock { $0.isRebuilding = false }
            do throws(StoreError) {
                let hadWork = try await round(&projector, &reportedLoss)
                served.note(projection: nil)
                pause = ProjectionLoop.shortestPause
                idle = hadWork ? .zero : idle + interval
                if idle >= ProjectionLoop.idleLimit { projector = nil }
                await served.wake.sleep(atMost: interval)
            } catch {
                projector = nil
                served.erasedFilesDue.withLock { $0 = .now }
                guard !served.isStopping else { break }
                served.note(projection: error)
                pause = await wait(
                    pause, after: error, of: file, lasted: began.duration(to: .now))
            }
        }
        await finish(projector)
    }

    // MARK: One round

    /// Catches up the projections, or follows another projecting process. Returns whether anything
    /// was new.
    private func round(
        _ projector: inout Projector?, _ reportedLoss: inout String?
    ) async throws(StoreError) -> Bool {
        let head = try await ledger.log.head().position
        served.noteEnd(head)
        let isRequested = ProjectorHandover.isPending(directory: ledger.directory)
        let linked = ledger.projectionFiles.current()
        let refused = served.board.refusedPath
        // Where the files of other rules are gone, this process builds its own.
        if isRequested || refused != nil && linked != nil {
            if projector != nil { served.erasedFilesDue.withLock { $0 = .now } }
            projector = nil
            if linked != refused { await publishCurrent() }
            return isRequested
        }
        if let snapshot = served.board.snapshot, snapshot.position == head, snapshot.isInPlace,
            linked == snapshot.projections.path
        {
            // Until now, answers came from the files before the erasure.
            var isLeft = await projector?.dropErased().isEmpty == false
            if try await hasErasedFiles() {
                projector = nil
                isLeft = try await !dropErasedFiles()
            }
            if isLeft {
                let due = ContinuousClock.now + ProjectionLoop.erasedFilesInterval
                served.erasedFilesDue.withLock { $0 = due }
            }
            try await forgetErased()
            return false
        }
        // Readers follow the links: open files that they no longer name are released.
        let isRelinked = linked != nil && projector.map { $0.projections.path != linked } ?? false
        if projector?.projections.path != linked || ledger.factsFiles.current() != ledger.facts.path
        {
            projector = nil
        }
        emitLoss(&reportedLoss)
        let open: Projector
        if let projector {
            open = projector
        } else {
            let opened = try await Projector.open(
                ledger, replacingOthers: replacesOthers, goesOn: goesOn)
            guard let opened else {
                served.erasedFilesDue.withLock { $0 = .now }
                await publishCurrent()
                return true
            }
            open = opened
            projector = opened
            for remark in opened.remarks { emit(remark) }
            if let linked, opened.remarks.isEmpty {
                emitSwitch(to: opened, from: linked, isRelinked: isRelinked)
            }
        }
        try await catchUp(open, from: served.projectedPosition ?? 0)
        return true
    }

    /// Reports, once, that files behind the answers are missing where reopening them would not
    /// report it; they are rebuilt.
    private func emitLoss(_ reported: inout String?) {
        guard let snapshot = served.board.snapshot, !snapshot.isInPlace else {
            reported = nil
            return
        }
        let lost: String
        // A dangling link is reported when the files are opened.
        if !snapshot.projections.isInPlace, ledger.projectionFiles.current() == nil {
            guard ledger.projectionFiles.linkedName() == nil else { return }
            lost = snapshot.projections.path
        } else if !snapshot.facts.isInPlace, ledger.factsFiles.current() == nil,
            ledger.factsFiles.linkedName() == nil
        {
            lost = snapshot.facts.path
        } else {
            return
        }
        guard reported != lost else { return }
        reported = lost
        emit(.gone(name: DerivedFiles.name(of: lost)))
    }

    private func catchUp(_ projector: Projector, from position: Int64) async throws(StoreError) {
        let start = ContinuousClock.now
        let known = projector.remarks.count
        let head = try await projector.catchUp(resting: rest(worked:)) { progress in
            // Each step in the files can serve answers at once.
            guard progress.phase == .apply else { return }
            // A file put there by hand may hold less; never publish an older position.
            guard progress.position >= served.projectedPosition ?? 0 else { return }
            publish(projector, progress.position)
        }
        try await ledger.completeness(asOf: projector.projections, at: head)
        publish(projector, head)
        try await forgetErased()
        for remark in projector.remarks.dropFirst(known) { emit(remark) }
        served.observer.projected(
            ledger.environment, eventCount: max(0, head - position), start.duration(to: .now))
    }

    private func publish(_ projector: Projector, _ position: Int64) {
        served.board.publish(
            LedgerSnapshot(
                ledger: ledger, facts: ledger.facts, projections: projector.projections,
                position: position))
    }

    /// Reports that the link named another file than the one behind the answers.
    private func emitSwitch(to opened: Projector, from linked: String, isRelinked: Bool) {
        let link = ledger.projectionFiles.linkName
        // Before the first state they are of an earlier release or configuration.
        if opened.wasBuiltOnOpening, served.board.snapshot != nil {
            emit(.otherRules(link: link, target: DerivedFiles.name(of: linked)))
        } else if isRelinked {
            emit(.relinked(link: link, name: DerivedFiles.name(of: opened.projections.path)))
        }
    }

    private func emit(_ remark: Projector.Remark) {
        served.observer.noted(.remark(ledger.environment, remark))
    }

    // MARK: Following

    /// Publishes the current files, if they were built for this log and this build. While its
    /// database is away a node answers from the files that it had. Where this process gives way to
    /// one of other rules, it has no answers until the link names a file of its own rules again.
    private func publishCurrent() async {
        guard let path = ledger.projectionFiles.current() else { return }
        do throws(StoreError) {
            try await ledger.reopenFacts()
            let facts = ledger.facts
            let held = served.board.snapshot?.projections
            let store: ProjectionsStore
            if let held, held.path == path, held.isInPlace {
                store = held
            } else {
                // The process that made it current may have left files.
                served.erasedFilesDue.withLock { $0 = .now }
                store = try await Blocking.run { () throws(StoreError) in
                    try ProjectionsStore(path: path)
                }
            }
            let checkpoint = try await store.checkpoint()
            guard try await isOfThisLog(checkpoint) else { return }
            guard try await store.matches(ledger.build) else {
                if !isServing, served.board.snapshot != nil {
                    served.forgetPersons()
                    served.board.withdraw(for: path)
                }
                return
            }
            let position = min(checkpoint.position, try await facts.checkpoint().position)
            // Never publish an older position.
            guard position >= served.projectedPosition ?? 0 else { return }
            try await ledger.completeness(asOf: store, at: checkpoint.position)
            served.board.publish(
                LedgerSnapshot(
                    ledger: ledger, facts: facts, projections: store, position: position))
            try await forgetErased()
        } catch {
            // The holder of the lock finds the problem too and rebuilds the file.
            return
        }
    }

    private func isOfThisLog(_ checkpoint: ProjectionCursor) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try await Projector.isOfThisLog(ledger, checkpoint)
        } catch {
            guard ledger.isShared, [.databaseUnavailable, .logWentBack].contains(error.code)
            else { throw error }
            return true
        }
    }

    // MARK: Finishing

    /// Runs concurrently with the projector, so that a hanging disk does not block answers from
    /// memory.
    private func checkpointRegularly() async {
        while true {
            do { try await Task.sleep(for: ProjectionLoop.checkpointInterval) } catch { return }
            do throws(StoreError) { try await ledger.log.checkpoint() } catch {
                served.observer.noted(
                    .failure("The log cannot be checkpointed", error, ledger.environment))
            }
            // Returns the memory of peak load to the system.
            await Blocking.run { FreedMemory.giveBack() }
        }
    }

    /// Lets `subledger nodes` and other nodes see this node. Failures are not reported: the node
    /// then shows as silent.
    private func noteRegularly(_ operations: any SharedOperations) async {
        while !Task.isCancelled {
            let known = served.projectedPosition
            let position = known ?? 0
            try? await operations.noteNode(at: position)
            if let nodes = try? await operations.nodes() {
                served.note(nodes: nodes, position: position)
            }
            // At the start the projections open within moments.
            let interval = ProjectionLoop.noteInterval / (known == nil ? 20 : 1)
            do { try await Task.sleep(for: interval) } catch { return }
        }
    }

    private func finish(_ held: Projector?) async {
        served.board.close()
        do throws(StoreError) {
            try await projectRest(held)
            try await ledger.log.checkpoint()
            // Otherwise the last one may be from before it caught up.
            if let operations = ledger.operations as? any SharedOperations {
                try? await operations.noteNode(at: served.projectedPosition ?? 0)
            }
        } catch {
            served.observer.noted(.projectionFailed(ledger.environment, error))
        }
        if let otherWriters { for await _ in otherWriters {} }
        if let snapshot = served.board.snapshot { try? snapshot.projections.close() }
        await ledger.close()
    }

    /// Projects the rest of the log and checkpoints the files. A rebuild that would take long is
    /// left to the next start, after an erasure or of damaged files too.
    private func projectRest(_ held: Projector?) async throws(StoreError) {
        let goesOn = goesOn
        let head = try await ledger.log.head().position
        served.board.reached(head: head)
        let isFar = BulkLimits.isFar(behind: head - (served.projectedPosition ?? 0), head: head)
        do throws(StoreError) {
            var projector = held
            if projector == nil, !isFar {
                projector = try await Projector.open(
                    ledger, replacingOthers: replacesOthers, goesOn: goesOn)
            }
            var isLeft = isFar
            if let projector, !isFar {
                isLeft = try await projector.catchUp(resting: { _ in goesOn() }) < head
            }
            if isLeft { served.observer.noted(.rebuildLeft(ledger.environment)) }
            guard let projector else { return }
            try await ledger.facts.walCheckpoint()
            try await projector.projections.walCheckpoint()
        } catch {
            guard error.code == .closed else { throw error }
            served.observer.noted(.rebuildLeft(ledger.environment))
        }
    }
}
