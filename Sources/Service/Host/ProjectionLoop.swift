import AppStore
internal import LedgerStore
internal import Projection
internal import SQLiteStore

/// Keeps one environment's projections at the end of the log for as long as the service runs.
///
/// Holds the projector's lock while there is something to do and gives it back when idle, or between
/// two rounds when a command asks for it (`ProjectorWish`), so that `rebuild` and `projections use`
/// work beside the service. While another process projects,
/// answers come from its files.
struct ProjectionLoop: Sendable {
    let served: ServedLedger
    let cores: CoreWatch

    /// How often the log and the links are looked at when nobody says that something changed:
    /// other processes append, rebuild and switch too.
    static let pollInterval: Duration = .milliseconds(250)
    /// Wait after a failure; doubles up to `longestPause`.
    static let shortestPause: Duration = .milliseconds(250)
    static let longestPause: Duration = .seconds(10)
    /// Rounds without anything new after which the lock is given back.
    static let idleRounds = 4
    /// How often the log's write-ahead log is moved into the file.
    static let checkpointInterval: Duration = .seconds(30)

    private var ledger: EnvironmentLedger { served.ledger }

    /// Runs until the service stops; then everything that is in the log is projected, unless that
    /// would take long, and folded into the files.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await served.tryWhileObstructed() }
            group.addTask { await checkpointRegularly() }
            await project()
            group.cancelAll()
        }
    }

    private func project() async {
        await publishCurrent()
        var projector: Projector?
        var toldLoss: String?
        var (idle, pause) = (0, ProjectionLoop.shortestPause)
        while !served.isStopping, !Task.isCancelled {
            do throws(StoreError) {
                let hadWork = try await round(&projector, &toldLoss)
                served.note(projection: nil)
                pause = ProjectionLoop.shortestPause
                idle = hadWork ? 0 : idle + 1
                if idle >= ProjectionLoop.idleRounds { projector = nil }
                await served.wake.sleep(atMost: ProjectionLoop.pollInterval)
            } catch {
                projector = nil
                served.note(projection: error)
                await served.wake.sleep(atMost: pause)
                // An append that wakes the loop must not turn a lasting failure into a busy one.
                try? await Task.sleep(for: ProjectionLoop.shortestPause)
                pause = min(pause * 2, ProjectionLoop.longestPause)
            }
        }
        await finish(projector)
    }

    // MARK: One round

    /// Brings the projections up to the log, or follows whoever does; whether there was anything
    /// new.
    private func round(
        _ projector: inout Projector?, _ toldLoss: inout String?
    ) async throws(StoreError) -> Bool {
        let head = try await ledger.log.head().position
        served.board.reached(head: head)
        if ProjectorWish.isStanding(directory: ledger.directory) {
            projector = nil
            await publishCurrent()
            return true
        }
        let linked = ledger.projectionFiles.current()
        if let snapshot = served.board.snapshot, snapshot.position == head, snapshot.isInPlace,
            linked == snapshot.projections.path
        {
            return false
        }
        // What the links name is what people read: held files that they do not name are let go.
        let isRelinked = linked != nil && projector.map { $0.projections.path != linked } ?? false
        if projector?.projections.path != linked || ledger.factsFiles.current() != ledger.facts.path
        {
            projector = nil
        }
        tellLoss(&toldLoss)
        let open: Projector
        if let projector {
            open = projector
        } else {
            guard let opened = try await Projector.open(ledger) else {
                await publishCurrent()
                return true
            }
            open = opened
            projector = opened
            for remark in opened.remarks { tell(remark) }
            if isRelinked, opened.remarks.isEmpty { tellRelinked(opened) }
        }
        try await catchUp(open, from: served.projectedPosition ?? 0)
        return true
    }

    /// Tells, once, of files that answers rest on and that nobody finds any more, where opening them
    /// anew would not tell: they are made again.
    private func tellLoss(_ told: inout String?) {
        guard let snapshot = served.board.snapshot, !snapshot.isInPlace else {
            told = nil
            return
        }
        let lost: String
        // A link that is left over says it to whoever opens the files.
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
        guard told != lost else { return }
        told = lost
        tell(.gone(name: DerivedFiles.name(of: lost)))
    }

    private func catchUp(_ projector: Projector, from position: Int64) async throws(StoreError) {
        let start = ContinuousClock.now
        let known = projector.remarks.count
        let head = try await projector.catchUp(resting: rest(worked:)) { progress in
            // Each step that is in the files is an answer already.
            guard progress.phase == .apply else { return }
            // A file that was put there by hand may hold less; nobody's answers go back.
            guard progress.position >= served.projectedPosition ?? 0 else { return }
            publish(projector, progress.position)
        }
        try await ledger.completeness(asOf: projector.projections, at: head)
        publish(projector, head)
        for remark in projector.remarks.dropFirst(known) { tell(remark) }
        served.observer.projected(
            ledger.environment, eventCount: max(0, head - position), start.duration(to: .now))
    }

    private func publish(_ projector: Projector, _ position: Int64) {
        served.board.publish(
            LedgerSnapshot(
                ledger: ledger, facts: ledger.facts, projections: projector.projections,
                position: position))
    }

    private func tellRelinked(_ opened: Projector) {
        let name = DerivedFiles.name(of: opened.projections.path)
        tell(.relinked(link: ledger.projectionFiles.linkName, name: name))
    }

    private func tell(_ remark: Projector.Remark) {
        served.observer.noted(.remark(ledger.environment, remark))
    }

    // MARK: Following

    /// Publishes the files that are current, if they were built for this log and these answers.
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
                store = try await Blocking.run { () throws(StoreError) in
                    try ProjectionsStore(path: path)
                }
            }
            let checkpoint = try await store.checkpoint()
            guard try await store.matches(ledger.build),
                try await Projector.isOfThisLog(ledger, checkpoint)
            else { return }
            let position = min(checkpoint.position, try await facts.checkpoint().position)
            // Nobody's answers go back.
            guard position >= served.projectedPosition ?? 0 else { return }
            try await ledger.completeness(asOf: store, at: checkpoint.position)
            served.board.publish(
                LedgerSnapshot(
                    ledger: ledger, facts: facts, projections: store, position: position))
        } catch {
            // Whoever holds the lock finds it too, and makes it again.
            return
        }
    }

    // MARK: Finishing

    /// Beside the projector, which a disk that hangs keeps from nothing that is in memory.
    private func checkpointRegularly() async {
        while true {
            do { try await Task.sleep(for: ProjectionLoop.checkpointInterval) } catch { return }
            do throws(StoreError) { try await ledger.log.checkpoint() } catch {
                served.observer.noted(.checkpointFailed(ledger.environment, error))
            }
            // What bodies and answers took in a busy moment is the system's again in a quiet one.
            await Blocking.run { FreedMemory.giveBack() }
        }
    }

    private func finish(_ held: Projector?) async {
        served.board.close()
        do throws(StoreError) {
            var projector = held
            if projector == nil { projector = try await Projector.open(ledger) }
            if let projector {
                let head = try await ledger.log.head().position
                let behind = head - (served.projectedPosition ?? 0)
                if !BulkLimits.isFar(behind: behind, head: head) {
                    try await projector.catchUp()
                }
                try await ledger.facts.settle()
                try await projector.projections.settle()
            }
            try await ledger.log.checkpoint()
        } catch {
            served.observer.noted(.projectionFailed(ledger.environment, error))
        }
        if let snapshot = served.board.snapshot { try? snapshot.projections.close() }
        await ledger.close()
    }
}
